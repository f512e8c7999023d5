import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Dataset, originalKeyOf } from "../../server/domain/datasets/dataset.ts";
import type { WorkspaceId } from "../../server/domain/ids.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import type { VectorStore } from "../../server/domain/ports/vector-store.ts";
import { compareIndex } from "../../server/domain/index/compare.ts";
import { openFolderBlobs } from "../../server/storage/blobs/folder.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { openLanceVectors } from "../../server/storage/vectors/open.ts";
import { dense, everyPage, packId, words } from "./claims/documents.ts";
import { type PausableWorker, startPausableWorker, type WorkerStores } from "./claims/worker.ts";
import { cancelled, createTenant, makeDataset, makeEvent, makeJob } from "./testing/records.ts";

/** The events of the service. Targets are counted modulo their number. */
type Act =
  | { readonly act: "upload"; readonly pages: number; readonly vectorize: boolean }
  | { readonly act: "vectorize" | "cancel" | "delete" | "retry"; readonly target: number }
  | { readonly act: "pause" | "resume" | "kill"; readonly target: number }
  | { readonly act: "jump"; readonly hours: number }
  | { readonly act: "wait"; readonly ms: number };

const target = fc.nat(3);
const anyAct: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant("upload" as const),
      pages: fc.integer({ min: 1, max: 12 }),
      vectorize: fc.constantFrom(true, true, false),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ act: fc.constantFrom("vectorize", "cancel", "cancel", "retry", "delete"), target }),
  },
  { weight: 6, arbitrary: fc.record({ act: fc.constantFrom("pause", "pause", "resume", "kill"), target }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant("jump" as const), hours: fc.constantFrom(1, -1) }) },
  { weight: 6, arbitrary: fc.record({ act: fc.constant("wait" as const), ms: fc.constantFrom(5, 20, 60) }) },
);

const runs = Number(process.env["DRS_FUZZ_RUNS"] ?? 12);
const hourMs = 3_600_000;

test("pauses, cancels, overtaking claims, kills and jumps of the clock over two workers: items are vectors are hits", async () => {
  const checked = fc.assert(
    fc.asyncProperty(fc.array(anyAct, { minLength: 8, maxLength: 30 }), async (acts) => {
      const service = await openService();
      try {
        for (const act of acts) await service.perform(act);
        await service.settle();
        await service.check();
      } finally {
        await service.close();
      }
    }),
    { numRuns: runs, endOnFailure: true },
  );
  await expect(checked).resolves.toBeUndefined();
}, 600_000);

async function openService() {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-claims-"));
  let offset = 0;
  const clock = (): number => Date.now() + offset;
  const opened: WorkerStores[] = [];
  async function open(): Promise<WorkerStores> {
    const database = await openMetadata({ url: undefined, dataDir, clock });
    const stores = {
      metadata: database,
      blobs: await openFolderBlobs(join(dataDir, "blobs")),
      vectors: await openLanceVectors({ url: join(dataDir, "vectors"), metadata: database, clock }),
    };
    opened.push(stores);
    return stores;
  }
  const { metadata, blobs, vectors } = await open();
  const { workspaceId } = await createTenant(metadata);
  await metadata.packs.use({ id: packId, model: "claims", manifest: "{}" }, clock());
  let count = 0;
  let hasKilled = false;
  const start = async (): Promise<PausableWorker> => startPausableWorker(await open(), `worker-${(count += 1)}`, clock);
  const workers = [await start(), await start()];
  const jobs = async () => list(metadata, workspaceId).jobs();
  const datasets = async () => list(metadata, workspaceId).datasets();

  async function perform(act: Act): Promise<void> {
    switch (act.act) {
      case "upload": {
        const dataset = makeDataset(workspaceId, { createdAt: clock() });
        await blobs.put(originalKeyOf(dataset.id), bytes(String(act.pages)));
        await metadata.datasets.create(dataset, makeJob(dataset, act.vectorize ? "datasets/vectorize" : undefined));
        break;
      }
      case "vectorize": {
        const dataset = pick(await datasets(), act.target);
        if (dataset === undefined) break;
        await metadata.jobs.createVectorize(makeJob(dataset, "datasets/vectorize", { createdAt: clock() }));
        break;
      }
      case "cancel":
      case "retry": {
        const job = pick(await jobs(), act.target);
        if (job === undefined) break;
        if (act.act === "retry") await metadata.jobs.retry(workspaceId, job.id, clock());
        else await metadata.jobs.cancel(workspaceId, job.id, cancelled(), clock());
        break;
      }
      case "delete": {
        const dataset = pick(await datasets(), act.target);
        if (dataset !== undefined) await metadata.datasets.delete(workspaceId, dataset.id, clock(), makeEvent());
        break;
      }
      case "jump":
        offset += act.hours * hourMs;
        break;
      case "wait":
        await sleep(act.ms);
        break;
      default: {
        const at = act.target % workers.length;
        const worker = workers[at];
        if (act.act === "pause") worker?.pause();
        else if (act.act === "resume") worker?.resume();
        else {
          worker?.kill();
          hasKilled = true;
          workers[at] = await start();
        }
      }
    }
    for (const worker of workers) worker.wake();
  }

  async function sweep(): Promise<void> {
    for (const hours of [0, 4, 4]) {
      offset += hours * hourMs;
      for (const worker of workers) worker.wake();
      await expect.poll(() => metadata.garbage.due(clock(), 10), { timeout: 30_000 }).toEqual([]);
    }
  }

  return {
    perform,
    /** All that was paused goes on, all jobs end, and all garbage is removed. */
    async settle(): Promise<void> {
      for (const worker of workers) worker.resume();
      await expect
        .poll(
          async () => {
            // Claims of workers that were killed run out.
            offset += 20_000;
            for (const worker of workers) worker.wake();
            return (await jobs()).filter(({ finishedAt }) => finishedAt === null);
          },
          { timeout: 60_000, interval: 200 },
        )
        .toEqual([]);
      // Claims that were overtaken notice it within a second.
      await sleep(1_200);
      await sweep();
      if (!hasKilled) return;
      // What a killed process was writing when its claim had ended is found by comparing, as `drs verify --repair` does.
      for (const space of [words, dense]) {
        for await (const difference of compareIndex({ metadata, vectors }, space)) {
          if (difference.kind !== "stray") continue;
          const { datasetId, generation, table } = difference;
          await metadata.garbage.add([{ kind: "vectors", key: datasetId, generation, table }], clock());
        }
      }
      await sweep();
    },

    async check(): Promise<void> {
      const alive = await datasets();
      const all = await jobs();
      const rows = await rowsOf(vectors, workspaceId);
      const kept = alive.map(({ id }) => id);
      expect([...new Set(rows.map(({ datasetId }) => datasetId))].filter((id) => !kept.includes(id))).toEqual([]);
      for (const dataset of alive) {
        const index = await metadata.packs.ofDataset(dataset.id);
        const { data } = await metadata.pages.listItems({ ...everyItem, datasetId: dataset.id });
        const items = data.map(({ page }) => page);
        const ofDataset = rows.filter(({ datasetId }) => datasetId === dataset.id);
        expect(new Set(ofDataset.map(({ generation }) => generation))).toEqual(
          new Set(ofDataset.length === 0 ? [] : [index?.generation]),
        );
        for (const space of [words.name, dense.name]) {
          const indexed = ofDataset.filter((row) => row.space === space).map(({ page }) => page);
          expect(indexed.toSorted((one, other) => one - other)).toEqual(items);
        }
        const isDone = all.some(
          ({ datasetId, type, status }) =>
            datasetId === dataset.id && type === "datasets/vectorize" && status === "SUCCESS",
        );
        if (isDone) expect(items).toHaveLength(dataset.itemCount);
        expect(await metadata.pages.failures([dataset.id])).toEqual(new Map());
      }
      const originals: string[] = await readdir(join(dataDir, "blobs", "originals")).catch(() => []);
      expect(originals.toSorted()).toEqual(kept.toSorted());
    },

    async close(): Promise<void> {
      for (const worker of workers) await worker.stop();
      for (const stores of opened) {
        await stores.vectors.close();
        await stores.metadata.close();
      }
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const everyItem = { row: "embedding_image", ranges: undefined, sort: [], offset: 0, limit: 1000 } as const;

function list(metadata: Metadata, workspaceId: WorkspaceId) {
  const page = { workspaceId, offset: 0, limit: 1000 };
  return {
    jobs: async () => (await metadata.jobs.list({ ...page, statuses: [], finishedSince: 0 })).data,
    datasets: async (): Promise<readonly Dataset[]> =>
      (await metadata.datasets.list({ ...page, types: [], sha256: [], sort: [], now: 0 })).data,
  };
}

/** All rows that the index holds of the workspace. */
async function rowsOf(vectors: VectorStore, workspaceId: WorkspaceId) {
  const scope = { workspaceId, datasetIds: undefined, limit: 10_000 };
  const inWords = await vectors.searchLexical(words, everyPage, scope);
  const inDense = await vectors.searchDense(dense, Float32Array.of(1, 0, 0, 0), scope);
  return [
    ...inWords.map((hit) => ({ ...hit, space: words.name })),
    ...inDense.map((hit) => ({ ...hit, space: dense.name })),
  ];
}

const pick = <Row>(rows: readonly Row[], at: number): Row | undefined => rows[at % Math.max(1, rows.length)];

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
