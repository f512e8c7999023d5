import { expect, test } from "vitest";
import { misfitsIn } from "./misfits.ts";

test("a doc comment without a subject is found with its line", () => {
  const source = ["/** Bytes. */", "const a = 1;", "/**", " * What a page shows.", " */", "/** Of a table. */"].join(
    "\n",
  );
  expect(misfitsIn(source)).toEqual([
    { line: 3, text: "What a page shows." },
    { line: 6, text: "Of a table." },
  ]);
});

test("other comments, and words that only begin so, are left alone", () => {
  expect(misfitsIn("/** Offsets in bytes. */ // What follows\n/* Of old */ /** Whatever is there. */")).toEqual([]);
});
