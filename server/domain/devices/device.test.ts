import { expect, test } from "vitest";
import { newUserCode, typedUserCode } from "./device.ts";

test.each(["wdjb-mjht", "WDJBMJHT", " wdjb mjht ", "WDJB–MJHT"])("%j is read as the code that is shown", (typed) => {
  expect(typedUserCode(typed)).toBe("WDJB-MJHT");
});

test("a code has unmistakable letters, and is unique", () => {
  const codes = Array.from({ length: 1000 }, newUserCode);
  for (const code of codes) expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  expect(new Set(codes).size).toBe(1000);
});
