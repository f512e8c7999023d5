import { expect, test } from "vitest";
import { startStoreClock } from "./store-clock.ts";

test("the time is that of the store, whatever this host's clock says, and follows it", async () => {
  let ahead = -86_400_000;
  const clock = await startStoreClock(async () => Date.now() + ahead, 20);
  try {
    expect(Math.abs(clock.now() - Date.now() - ahead)).toBeLessThan(1_000);
    ahead = 3_600_000;
    await expect.poll(() => Math.abs(clock.now() - Date.now() - ahead)).toBeLessThan(1_000);
  } finally {
    clock.stop();
  }
});

test("a store that does not answer for a while leaves the time running", async () => {
  let isAway = false;
  let asked = 0;
  const ask = async (): Promise<number> => {
    asked += 1;
    if (isAway) throw new Error("away");
    return Date.now();
  };
  const clock = await startStoreClock(ask, 10);
  try {
    isAway = true;
    const before = asked;
    await expect.poll(() => asked).toBeGreaterThan(before + 2);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
  } finally {
    clock.stop();
  }
});
