import { expect, test } from "vitest";
import { readCursor, writeCursor } from "./list-documents.ts";
import { UserError } from "../failures.ts";

test("a cursor is read as it was written", () => {
  for (const offset of [0, 20, 999_999_999]) expect(readCursor(writeCursor(offset))).toBe(offset);
});

test("anything but a cursor is refused", () => {
  for (const text of ["", "20", "b", writeCursor(1e10), writeCursor(-1), writeCursor(0.5), "a".repeat(100)]) {
    expect(() => readCursor(text), `of ${text}`).toThrow(UserError);
  }
});
