import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Metadata } from "../../../domain/ports/metadata.ts";
import { openMetadata } from "../../../storage/metadata/open.ts";
import { startUpkeep, type Upkeep } from "./upkeep.ts";

let folder: string;
let rounds: string[];
/** The resources of the processes. */
const opened: { readonly metadata: Metadata; readonly upkeep: Upkeep }[] = [];
/** The store's clock runs ahead by this many milliseconds. */
let ahead = 0;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-upkeep-"));
  rounds = [];
  ahead = 0;
});
afterEach(async () => {
  for (const { metadata, upkeep } of opened.splice(0)) {
    await upkeep.stop();
    await metadata.close();
  }
  await rm(folder, { recursive: true });
});

/** Starts the upkeep of a worker process. */
async function start(owner: string, { claimJobs = true } = {}): Promise<Upkeep> {
  const metadata = await openMetadata({ url: undefined, dataDir: folder, clock: () => Date.now() + ahead });
  const vectors = { maintain: async () => void rounds.push(owner) };
  const upkeep = startUpkeep({ metadata, vectors }, { owner, claimJobs, log: pino({ level: "silent" }) });
  opened.push({ metadata, upkeep });
  return upkeep;
}

const soon = { timeout: 20_000 };

test("one of several workers leads, and another one after it has stopped", { timeout: 60_000 }, async () => {
  const one = await start("one");
  await expect.poll(() => one.isHeld(), soon).toBe(true);
  const others = [await start("two"), await start("three"), await start("renderer", { claimJobs: false })];
  // Longer than a try takes.
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect(others.map((each) => each.isHeld())).toEqual([false, false, false]);
  await one.giveBack();
  expect(one.isHeld()).toBe(false);
  await expect.poll(() => others.filter((each) => each.isHeld()).length, soon).toBe(1);
  expect(others[2]?.isHeld()).toBe(false);
});

test("the leader maintains the index after others have written", { timeout: 60_000 }, async () => {
  const one = await start("one");
  await expect.poll(() => one.isHeld(), soon).toBe(true);
  const two = await start("two");
  two.index.request(() => rounds.push("done elsewhere"));
  await expect.poll(() => rounds, soon).toEqual(["one"]);
});

test(
  "what a worker was asked for that is not in charge any more is done by its successor",
  { timeout: 60_000 },
  async () => {
    const one = await start("one");
    await expect.poll(() => one.isHeld(), soon).toBe(true);
    one.index.request(() => rounds.push("done"));
    await one.giveBack();
    await start("two");
    await expect.poll(() => rounds, soon).toEqual(["two"]);
  },
);

test("a worker that was silent for long does not lead any more", { timeout: 60_000 }, async () => {
  await start("one");
  const [silent] = opened;
  await expect.poll(() => silent?.upkeep.isHeld(), soon).toBe(true);
  // It cannot reach its store any more.
  await silent?.metadata.close();
  ahead = 20_000;
  const two = await start("two");
  await expect.poll(() => two.isHeld(), soon).toBe(true);
  await expect.poll(() => silent?.upkeep.isHeld(), soon).toBe(false);
});
