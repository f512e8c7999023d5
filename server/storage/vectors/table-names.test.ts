import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spaceOf, tableName } from "./table-names.ts";

describe("tableName", () => {
  it("is readable", () => {
    expect(tableName({ kind: "lexical", pack: "builtin@1", name: "words" })).toBe("lexical2.builtin_40_1.words");
  });

  it("is safe as a file name, and another one for every pack and space", () => {
    const names = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(names, names, names, names, (packA, nameA, packB, nameB) => {
        const one = tableName({ kind: "lexical", pack: packA, name: nameA });
        const other = tableName({ kind: "lexical", pack: packB, name: nameB });
        expect(one).toMatch(/^lexical2\.[a-z0-9_-]+\.[a-z0-9_-]+$/);
        expect(one === other).toBe(packA === packB && nameA === nameB);
        expect(spaceOf(one)).toEqual({ kind: "lexical", pack: packA, name: nameA });
      }),
    );
  });
});
