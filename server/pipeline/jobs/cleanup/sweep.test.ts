import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type DatasetId, newDatasetId, newWorkspaceId } from "../../../domain/ids.ts";
import type { BlobStore } from "../../../domain/ports/blobs.ts";
import type { Garbage } from "../../../domain/ports/garbage.ts";
import type { Metadata } from "../../../domain/ports/metadata.ts";
import type { RowsOfIndex } from "../../../domain/ports/vector-store.ts";
import { openFolderBlobs } from "../../../storage/blobs/folder.ts";
import { openMetadata } from "../../../storage/metadata/open.ts";
import { openLanceVectors } from "../../../storage/vectors/open.ts";
import { sweep } from "./sweep.ts";

let folder: string;
let metadata: Metadata;
let blobs: BlobStore;
let now: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-sweep-"));
  metadata = await openMetadata({ url: undefined, dataDir: folder });
  blobs = await openFolderBlobs(join(folder, "blobs"));
  now = Date.now();
});
afterEach(async () => {
  await metadata.close();
  await rm(folder, { recursive: true });
});

async function put(key: string): Promise<Garbage> {
  await mkdir(join(folder, "blobs", key, ".."), { recursive: true });
  await writeFile(join(folder, "blobs", key), "bytes");
  const garbage = { kind: "blob", key } as const;
  await metadata.garbage.add([garbage], now);
  return garbage;
}

/** Sweeps and returns the callbacks with which maintenance would remove vectors from the garbage list. */
async function sweepNow(remove?: (rows: RowsOfIndex) => Promise<void>): Promise<(() => void)[]> {
  const store = await openLanceVectors({ url: join(folder, "vectors"), metadata, clock: Date.now });
  const done: (() => void)[] = [];
  await sweep({
    metadata,
    blobs,
    vectors: { ...store, remove: remove ?? store.remove },
    maintenance: { request: (onDone = () => undefined) => void done.push(onDone) },
    rowMaintenance: { request: () => undefined },
    clock: () => now,
    log: pino({ level: "silent" }),
  });
  await store.close();
  return done;
}

test("a failed removal is retried later and does not hold up others", async () => {
  const stuck = await put("a/b");
  await rm(join(folder, "blobs", "a", "b"));
  // A folder exists in place of a file.
  await mkdir(join(folder, "blobs", "a", "b", "c"), { recursive: true });
  await put("d/e");
  await sweepNow();
  expect(await readdir(join(folder, "blobs"))).toEqual(["a", "tmp"]);
  expect(await metadata.garbage.due(now + 30_000, 10)).toEqual([]);
  now += 60_000;
  expect(await metadata.garbage.due(now, 10)).toEqual([stuck]);
  await rm(join(folder, "blobs", "a"), { recursive: true });
  await sweepNow();
  expect(await metadata.garbage.due(now + 600_000, 10)).toEqual([]);
});

test("vectors stay on the list until their disk is free, so that the next worker goes on after a crash", async () => {
  const vectors = { kind: "vectors", key: newDatasetId() } as const;
  await metadata.garbage.add([vectors], now);
  await sweepNow();
  expect(await metadata.garbage.due(now, 10)).toEqual([]);
  await metadata.garbage.expireAll();
  const [done] = await sweepNow();
  done?.();
  await expect.poll(() => metadata.garbage.due(now + 600_000, 10)).toEqual([]);
});

test("vectors that were deleted again meanwhile stay on the list when the first deletion is done", async () => {
  const vectors = { kind: "vectors", key: newDatasetId() } as const;
  await metadata.garbage.add([vectors], now);
  const [done] = await sweepNow();
  await metadata.garbage.add([vectors], now + 1);
  done?.();
  await metadata.ping();
  expect(await metadata.garbage.due(now + 1, 10)).toEqual([vectors]);
});

test("a removal that takes long leaves the rest for after the jobs", async () => {
  for (let count = 0; count < 3; count++) {
    const table = { workspaceId: newWorkspaceId(), pack: "p@1" };
    await metadata.garbage.add([{ kind: "vectors", key: newDatasetId(), table }], now);
  }
  const removed: DatasetId[] = [];
  await sweepNow(async ({ datasetId }) => {
    removed.push(datasetId);
    await new Promise((resolve) => setTimeout(resolve, 600));
  });
  expect(removed).toHaveLength(1);
  expect(await metadata.garbage.due(now, 10)).toHaveLength(2);
});
