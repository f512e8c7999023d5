import { expect, test } from "vitest";
import { formatsOf, regionOf } from "./formats.ts";

test("sizes are written in the largest unit that is full", () => {
  const { bytes } = formatsOf("en");
  expect([0, 999, 1_000, 1_234_567, 2.5e12].map(bytes)).toEqual(["0 bytes", "999 bytes", "1 kB", "1.23 MB", "2.5 TB"]);
  expect([4_715_380, 250_000_000, 12e12].map(bytes)).toEqual(["4.72 MB", "250 MB", "12 TB"]);
  expect(formatsOf("de").bytes(1_234_567)).toBe("1,23 MB");
});

test("durations and months are written in words of the language", () => {
  const { duration, month } = formatsOf("en");
  expect([0, 59_000, 60_000, 7_200_000, 259_200_000].map(duration)).toEqual([
    "0 sec",
    "59 sec",
    "1 min",
    "2 hr",
    "3 days",
  ]);
  expect(month("2026-11")).toBe("Nov 26");
});

test("what is less than a percent is not written as nothing", () => {
  const { percent } = formatsOf("en");
  expect([0, 0.0001, 0.0099, 0.01, 0.995, 1].map(percent)).toEqual(["0%", "<1%", "<1%", "1%", "100%", "100%"]);
  expect(formatsOf("de").percent(0.004)).toBe("<1\u00a0%");
});

test("a language is written as where the browser is, if that is one of its countries", () => {
  expect(regionOf("en", ["de-DE", "en-GB", "en-US"])).toBe("en-GB");
  expect(regionOf("de", ["en-GB"])).toBe("de");
  const at = Date.UTC(2026, 10, 23, 12);
  expect([formatsOf("en-GB").day(at), formatsOf("en-US").day(at)]).toEqual(["23 Nov 2026", "Nov 23, 2026"]);
});
