import { describe, expect, test } from "vitest";
import { checkParts, digestParts, type ListedPart, minPartBytes } from "./check-parts.ts";
import type { UploadPart } from "./upload.ts";

const etagOf = (partNumber: number): string => `${partNumber}a`.padStart(64, "0");

function received(...numbers: number[]): UploadPart[] {
  return numbers.map((partNumber) => ({
    partNumber,
    etag: etagOf(partNumber),
    size: minPartBytes,
    blobKey: `parts/${partNumber}`,
  }));
}

const listed = (...numbers: number[]): ListedPart[] =>
  numbers.map((partNumber) => ({ partNumber, etag: etagOf(partNumber) }));

const check = (parts: UploadPart[], list: ListedPart[] = [], fileSize: number | null = null) => {
  checkParts(parts, { listed: list, fileSize });
};

describe("a session can end", () => {
  const shouted = listed(1, 2).map(({ partNumber, etag }) => ({ partNumber, etag: ` "${etag.toUpperCase()}"` }));
  const smallLast = [...received(1), { partNumber: 2, etag: "e", size: 1, blobKey: "parts/2" }];

  test.each<[string, UploadPart[], ListedPart[], number | null]>([
    ["with all parts", received(1, 2, 3), [], null],
    ["with all parts listed in any order", received(1, 2, 3), listed(3, 1, 2), null],
    ["with as many bytes as were announced", received(1, 2), [], 2 * minPartBytes],
    ["with a last part of any size", smallLast, [], null],
    ["with etags in capitals and quotes", received(1, 2), shouted, null],
  ])("%s", (_, parts, list, fileSize) => {
    expect(() => check(parts, list, fileSize)).not.toThrow();
  });
});

describe("a session cannot end", () => {
  const [first, second] = received(1, 2);
  const small = first === undefined || second === undefined ? [] : [{ ...first, size: minPartBytes - 1 }, second];
  const wrong = listed(1, 2, 3).map((part) => (part.partNumber === 2 ? { ...part, etag: etagOf(9) } : part));

  test.each<[string, UploadPart[], ListedPart[], number | null, RegExp]>([
    ["without any part", [], [], null, /^no part has been received; upload the parts first$/],
    ["with a gap", received(1, 3), [], null, /^part 2 is missing/],
    ["without the first part", received(2), listed(2), null, /^part 1 is missing/],
    ["with gaps", received(2, 5), [], null, /^parts 1, 3, 4 are missing/],
    ["with a part too small", small, [], null, /^part 1 is too small: only the last may have less than 5 MB$/],
    ["with a wrong etag", received(1, 2, 3), wrong, null, /^part 2 was received with another etag$/],
    ["with an unknown part", received(1, 2), listed(1, 2, 3), null, /^part 3 has not been received/],
    ["with part 0", received(1), listed(0, 1), null, /^part 0 has not been received/],
    ["with a part that is not listed", received(1, 2), listed(1), null, /^part 2 has been received but is not listed/],
    ["with a part listed twice", received(1, 2), listed(1, 2, 2), null, /^part 2 is listed twice$/],
    ["with less than was announced", received(1), [], 7_000_000, /5000000 bytes together, but fileSize announced 7000/],
    ["with several faults", received(1, 2, 4), listed(1, 9), null, /^part 9 .*; parts 2, 4 .*; part 3 is missing/],
  ])("%s", (_, parts, list, fileSize, sentence) => {
    expect(() => check(parts, list, fileSize)).toThrow(
      expect.objectContaining({ kind: "invalid", message: expect.stringMatching(sentence) }),
    );
  });

  test("and its sentence stays short whatever is wrong", () => {
    expect(() => check(received(10_000))).toThrow(/^parts 1, 2, .*, 20 and 9979 more are missing; upload them$/);
  });
});

test("the same parts have the same digest, whatever their order and however their etags are written", () => {
  const digest = digestParts(listed(1, 2, 10));
  expect(digestParts(listed(10, 1, 2))).toBe(digest);
  expect(
    digestParts(listed(1, 2, 10).map(({ partNumber, etag }) => ({ partNumber, etag: `"${etag.toUpperCase()}"` }))),
  ).toBe(digest);
  expect(digestParts(listed(1, 2))).not.toBe(digest);
  expect(digestParts(listed(1, 2, 11))).not.toBe(digest);
  expect(digestParts(received(1, 2, 10))).toBe(digest);
});
