import { expect, test } from "vitest";
import { createLoadedPacks } from "./loaded-packs.ts";

/** Packs that only record when they are loaded and closed. */
function shelf(maxKept = 2) {
  const events: string[] = [];
  let now = 0;
  let broken = "";
  const packs = createLoadedPacks({
    async load(packDir: string) {
      if (packDir === broken) throw new Error("broken");
      events.push(`load ${packDir}`);
      return { name: packDir, close: async () => void events.push(`close ${packDir}`) };
    },
    maxKept,
    unusedMs: 1_000,
    clock: () => now,
  });
  return {
    packs,
    events,
    pass: (ms: number) => void (now += ms),
    breakPack: (packDir: string) => void (broken = packDir),
  };
}

test("a pack is loaded once, and stays while it is the only one", async () => {
  const { packs, events, pass } = shelf();
  await packs.get("a");
  pass(1_000_000);
  expect((await packs.get("a")).name).toBe("a");
  expect(events).toEqual(["load a"]);
});

test("two stay as long as both are used; a pack that is no longer used is closed", async () => {
  const { packs, events, pass } = shelf();
  for (const packDir of ["a", "b", "a", "b"]) {
    await packs.get(packDir);
    pass(600);
  }
  expect(events).toEqual(["load a", "load b"]);
  pass(1_000);
  await packs.get("b");
  await expect.poll(() => events).toEqual(["load a", "load b", "close a"]);
});

test("there are never more than the limit", async () => {
  const { packs, events } = shelf();
  for (const packDir of ["a", "b", "a", "c"]) await packs.get(packDir);
  await expect.poll(() => events).toEqual(["load a", "load b", "load c", "close b"]);
});

test("a pack that cannot be loaded is tried again the next time", async () => {
  const { packs, events, breakPack } = shelf();
  breakPack("a");
  await expect(packs.get("a")).rejects.toThrow("broken");
  breakPack("");
  await packs.get("a");
  expect(events).toEqual(["load a"]);
});
