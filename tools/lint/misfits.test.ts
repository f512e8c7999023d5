import { expect, test } from "vitest";
import { misfitsIn } from "./misfits.ts";

test("a doc comment without a subject is found with its line", () => {
  // Written so that the check does not find the examples.
  const source = ["/** Bytes. */", "const a = 1;", "/**", " * W_hat a page shows.", " */", "/** O_f a table. */"]
    .join("\n")
    .replaceAll("_", "");
  expect(misfitsIn(source)).toEqual([
    { line: 3, text: "What a page shows." },
    { line: 6, text: "Of a table." },
  ]);
});

test("other comments, and words that only begin so, are left alone", () => {
  expect(misfitsIn("/** Offsets in bytes. */ // What follows\n/* Of old */ /** Whatever is there. */")).toEqual([]);
});
