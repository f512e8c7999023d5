import { expect, test } from "vitest";
import { durationText, sizeText } from "./amounts.ts";

test.each([
  [0, "0 byte"],
  [999, "999 byte"],
  [4_715_380, "4.72 MB"],
  [250_000_000, "250 MB"],
  [12e12, "12 TB"],
])("%i bytes are %s", (bytes, text) => expect(sizeText(bytes, "en")).toBe(text));

test.each([
  [200, "1 sec"],
  [80_000, "80 sec"],
  [120_000, "2 min"],
  [7_200_000, "2 hr"],
])("%i ms are %s", (ms, text) => expect(durationText(ms, "en")).toBe(text));
