import { describe, expect, test } from "vitest";
import { formatSize, parseSize, roundedSize } from "./size.ts";

describe("sizes of plans", () => {
  test.each([
    ["1048576", 1_048_576],
    ["500MB", 500 * 2 ** 20],
    ["1.5 gb", 1.5 * 2 ** 30],
    ["10GB", 10 * 2 ** 30],
    ["2tb", 2 * 2 ** 40],
    ["7B", 7],
  ])("%s is %d bytes", (text, bytes) => expect(parseSize(text)).toBe(bytes));

  test.each(["", "GB", "0", "0.1B", "-1GB", "1e9", "10XB", "99999999TB", "1 GB 2"])("%j is none", (text) =>
    expect(() => parseSize(text)).toThrow("such as 500MB"),
  );

  test.each(["1B", "1000B", "1536MB", "10GB", "3TB"])("%s is shown as it is written", (text) =>
    expect(formatSize(parseSize(text))).toBe(text),
  );

  test.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1536, "1.5 kB"],
    [10 * 2 ** 30 + 1, "10 GB"],
  ])("%d bytes are about %s", (bytes, text) => expect(roundedSize(bytes)).toBe(text));
});
