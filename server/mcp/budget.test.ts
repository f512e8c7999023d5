import { expect, test } from "vitest";
import { bytesOf, clip, encodedBytes, excerptsThatFit, firstThatFit, jsonBlock } from "./budget.ts";

test("a clipped text has its length, and no half of a character that takes two", () => {
  expect(clip("short", 5)).toBe("short");
  expect(clip("longer", 5)).toBe("long…");
  expect(clip("123😀5", 5).isWellFormed()).toBe(true);
});

test("a block is at most as large as estimated", () => {
  for (const size of [0, 1, 2, 3, 1_000, 300_001]) {
    const data = Buffer.alloc(size, 0xa5).toString("base64");
    expect(bytesOf({ type: "image", data, mimeType: "image/jpeg" })).toBeLessThanOrEqual(encodedBytes(size));
  }
});

test("a list is cut until it fits, and never to nothing", () => {
  const entries = Array.from({ length: 100 }, (_, index) => ({ name: `${index} ${"x".repeat(1_000)}` }));
  const fitting = firstThatFit(entries, jsonBlock, 20_000);
  expect(fitting.length).toBeGreaterThan(5);
  expect(bytesOf(jsonBlock(fitting))).toBeLessThanOrEqual(20_000);
  expect(fitting).toEqual(entries.slice(0, fitting.length));
  expect(firstThatFit(entries, jsonBlock, 10)).toHaveLength(1);
  expect(firstThatFit([], jsonBlock, 10)).toEqual([]);
});

test("excerpts become shorter until all of them fit, in encoded bytes", () => {
  const texts = Array.from({ length: 30 }, () => '\n"\\'.repeat(2_000));
  const lengths = new Set<number>();
  const block = excerptsThatFit((excerpt) => {
    const excerpts = texts.map(excerpt);
    lengths.add(excerpts[0]?.length ?? 0);
    return jsonBlock(excerpts);
  }, 80_000);
  expect(bytesOf(block)).toBeLessThanOrEqual(80_000);
  expect([...lengths]).toEqual([2_000, 1_000, 500]);
});
