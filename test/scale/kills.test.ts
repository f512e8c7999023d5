import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { expectWhole, uploadAll } from "./clients.ts";
import { documentOf } from "./documents.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { randomNumbers } from "./random.ts";
import { emptyStores, hasSharedStores, scaleReason } from "./stores.ts";

const count = Number(process.env["DRS_TEST_SCALE_DOCUMENTS"] ?? 24);
const seconds = Number(process.env["DRS_TEST_SCALE_SECONDS"] ?? 45);
const seed = Number(process.env["DRS_FUZZ_SEED"] ?? 1);
/** How often one of the processes is killed or stopped. */
const betweenMs = 5_000;
const stoppedMs = 20_000;

/** Data that a killed process may leave without an owner; `drs verify --repair` removes it. */
const strays = new Set(["stray rows", "stray blob"]);

/** The actions on the processes, in order. */
interface Misfortunes {
  readonly log: string[];
  readonly done: Promise<void>;
}

/** Kills and stops processes at random; at the end all of them are at work again. */
function hurt(fleet: Fleet, random: () => number): Misfortunes {
  const log: string[] = [];
  const recovering = new Set<Promise<void>>();
  const busy = new Set<string>();
  async function once(): Promise<void> {
    const free = fleet.all.filter(({ name }) => !busy.has(name));
    const victim = free[Math.floor(random() * free.length)];
    const dice = random();
    if (victim === undefined) return;
    busy.add(victim.name);
    try {
      if (dice < 0.3) {
        log.push(`${victim.name} stopped`);
        await victim.pause();
        await sleep(stoppedMs);
        victim.resume();
      } else {
        const what = dice < 0.65 ? "tree" : "parent";
        log.push(`${victim.name} killed (${what})`);
        await victim.kill(what);
        await victim.start();
      }
    } finally {
      busy.delete(victim.name);
    }
  }
  const run = async (): Promise<void> => {
    const until = performance.now() + seconds * 1_000;
    const faults: unknown[] = [];
    while (performance.now() < until) {
      const one = once().catch((cause: unknown) => void faults.push(cause));
      recovering.add(one);
      await sleep(betweenMs);
    }
    await Promise.all(recovering);
    if (faults.length > 0) throw new AggregateError(faults, "a process does not start again");
  };
  return { log, done: run() };
}

describe.skipIf(!hasSharedStores)(
  `2 API processes and 3 workers of which one after another is killed${scaleReason}`,
  () => {
    test(
      "every acknowledged upload ends as without kills, no page is blamed, and nothing is left over",
      { timeout: 3_600_000 },
      async () => {
        const fleet = await startFleet({ apis: 2, workers: 3, env: await emptyStores() });
        try {
          const documents = Array.from({ length: count }, (_, number) => documentOf(number));
          const misfortunes = hurt(fleet, randomNumbers(seed));
          const [acknowledged] = await Promise.all([uploadAll(fleet, documents, 4), misfortunes.done]);
          expect(misfortunes.log.length).toBeGreaterThan(2);
          expect(acknowledged).toHaveLength(count);
          expect(new Set(acknowledged.map(({ datasetId }) => datasetId)).size).toBe(count);
          for (const each of acknowledged) await expectWhole(fleet, each);
          expect((await fleet.client(0).datasets.page({ limit: 1 })).total).toBe(count);
          expect(await Array.fromAsync(fleet.client(1).uploads.list())).toEqual([]);

          // What killed processes were writing is on the list of garbage, whose removal takes its time.
          const found = await fleet.verify("--repair");
          expect(found.kinds.filter((kind) => !strays.has(kind))).toEqual([]);
          expect(await fleet.verify("--deep")).toEqual({ code: 0, kinds: [] });
          process.stdout.write(`${misfortunes.log.join(", ")}; left without an owner: ${found.kinds.length}\n`);
        } finally {
          await fleet.close();
        }
      },
    );
  },
);
