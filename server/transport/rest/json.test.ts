import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { assert, constantFrom, integer, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { services } from "../services/index.ts";
import { SearchRequestSchema } from "@drs/client/gen/drs/v1/search_pb";
import { collectParameters, findField, readMessage } from "./json.ts";

const inputs = services.flatMap((service) => service.methods.map(({ input }) => input));
const fields = inputs.flatMap((desc) =>
  desc.fields.flatMap((field) => [
    { desc, name: field.jsonName },
    { desc, name: field.name },
  ]),
);
/** The caller chooses the names in it. */
const anyObject = "google.protobuf.Struct";

/** Messages inside requests, with a function that puts something into them. */
const nested = inputs.flatMap((desc) =>
  desc.fields.flatMap((field) => {
    if (field.message === undefined || field.fieldKind === "map" || field.message.typeName === anyObject) return [];
    const child = field.message;
    const wrap = (json: JsonObject): JsonObject => ({ [field.jsonName]: field.fieldKind === "list" ? [json] : json });
    return child.fields.map(({ jsonName }) => ({ desc, child, name: jsonName, wrap }));
  }),
);

/** Removes a character, replaces it, or inserts another before it. */
function edited(name: string, at: number, kind: "drop" | "replace" | "insert", added: string): string {
  const place = at % (name.length + (kind === "insert" ? 1 : 0));
  return name.slice(0, place) + (kind === "drop" ? "" : added) + name.slice(kind === "insert" ? place : place + 1);
}

const letter = string({ minLength: 1, maxLength: 1 });
const edit = constantFrom("drop", "replace", "insert" as const);
const anywhere = integer({ min: 0, max: 64 });
const isKnown = (desc: DescMessage, name: string): boolean => findField(desc, name) !== undefined;

describe("one wrong character in the name of a field is refused", () => {
  test("in JSON and in parameters", () => {
    assert(
      property(constantFrom(...fields), anywhere, edit, letter, ({ desc, name }, at, kind, added) => {
        const typo = edited(name, at, kind, added);
        if (isKnown(desc, typo)) return;
        expect(() => readMessage(desc, Object.fromEntries([[typo, null]]))).toThrow(
          / is not a field of this request; /,
        );
        expect(() => collectParameters(desc, "parameter").put(typo, "")).toThrow(
          / is not a parameter of this request; /,
        );
      }),
      { numRuns: 5_000 },
    );
  });

  test("inside objects and lists", () => {
    assert(
      property(constantFrom(...nested), anywhere, edit, letter, ({ desc, child, name, wrap }, at, kind, added) => {
        const typo = edited(name, at, kind, added);
        if (isKnown(child, typo)) return;
        const json = wrap(Object.fromEntries([[typo, null]]));
        expect(() => readMessage(desc, json)).toThrow(/\..* is not a field of this request; /);
      }),
      { numRuns: 2_000 },
    );
  });

  test("and its known names are all accepted", () => {
    for (const { desc, name } of fields) expect(() => readMessage(desc, { [name]: null })).not.toThrow();
  });
});

test("names that every object has by itself are not known", () => {
  for (const desc of inputs) {
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      const json: Record<string, null> = JSON.parse(`{"${name}": null}`);
      expect(() => readMessage(desc, json)).toThrow(/is not a field/);
    }
  }
});

test("an object whose names the caller chooses may have any names, up to a maximum depth", () => {
  const read = (filter: JsonValue) => readMessage(SearchRequestSchema, { filter });
  expect(read({ constructor: 1, fields: { values: [] } })).toMatchObject({
    filter: { constructor: 1, fields: { values: [] } },
  });
  const nestedIn = (levels: number) => ({ a: JSON.parse("[".repeat(levels) + "]".repeat(levels)) });
  expect(() => read(nestedIn(20))).not.toThrow();
  for (const levels of [40, 150, 100_000]) expect(() => read(nestedIn(levels))).toThrow(/^filter has objects/);
  expect(() => read([])).toThrow("filter must be an object");
});
