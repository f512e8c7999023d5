import { expect, test } from "vitest";
import type { SavedUpload } from "./saved-uploads.ts";
import { uploadsToResume } from "./unfinished.ts";

const saved = (key: string): SavedUpload => ({
  server: "http://127.0.0.1:8420",
  path: `/${key}.pdf`,
  size: 1,
  modifiedAt: 0,
  savedAt: 0,
  vectorize: false,
  expiresInDays: undefined,
  fileName: undefined,
  state: { key, fileName: `${key}.pdf`, vectorize: false, partBytes: 1, expiresAt: 0, parts: [] },
});
const [one, two] = [saved("tmp_1"), saved("tmp_2")];

test("the only one need not be named, one of several must be", () => {
  expect(uploadsToResume([one], undefined, false)).toEqual([one]);
  expect(uploadsToResume([one, two], "tmp_2", false)).toEqual([two]);
  expect(uploadsToResume([one, two], undefined, true)).toEqual([one, two]);
  expect(() => uploadsToResume([one, two], undefined, false)).toThrow("there are 2 unfinished uploads");
});

test("all of none is no mistake, one of none is", () => {
  expect(uploadsToResume([], undefined, true)).toEqual([]);
  expect(() => uploadsToResume([], undefined, false)).toThrow("there are no unfinished uploads from this machine");
});

test("a key from elsewhere, and a key beside --all, are refused", () => {
  expect(() => uploadsToResume([one], "tmp_9", false)).toThrow("tmp_9 was not started on this machine");
  expect(() => uploadsToResume([one], "tmp_1", true)).toThrow("--all and a key");
});
