import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import { putDense } from "./put.ts";
import { elsewhere, openTables, type Tables } from "./tables.ts";

const space = { kind: "dense", pack: "p@1", name: "text", dimensions: 8 } as const;
const row = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "" };
const hourMs = 3_600_000;
let url: string;
let writer: Tables;
let reader: Tables;
beforeAll(async () => {
  url = await mkdtemp(join(tmpdir(), "drs-recent-"));
  [writer, reader] = await Promise.all([openTables(url, elsewhere), openTables(url, elsewhere)]);
});
afterAll(async () => {
  writer.close();
  reader.close();
  await rm(url, { recursive: true });
});

const put = (page: number): Promise<void> =>
  putDense(writer, space, [{ ...row, page, vectors: [new Float32Array(8).fill(1)] }]);
const countSince = async (since: number): Promise<number | undefined> =>
  (await reader.findSince(space, since))?.countRows();

test("a table that is not there is looked for again", async () => {
  expect(await countSince(performance.now() - hourMs)).toBeUndefined();
  await put(1);
  expect(await countSince(performance.now() - hourMs)).toBe(1);
});

test("a read that does without what is new is given the table as it was seen last", async () => {
  await put(2);
  expect(await countSince(performance.now() - hourMs)).toBe(1);
});

test("a read is given all that was written before the time that it names", async () => {
  expect(await countSince(performance.now())).toBe(2);
  expect(await countSince(performance.now() - hourMs)).toBe(2);
});

test("reads at the same time share one look", async () => {
  await put(3);
  const since = performance.now();
  const handle = await reader.findSince(space, 0);
  if (handle === undefined) throw new Error("there is a table");
  const looks: Promise<void>[] = [];
  const look = handle.checkoutLatest.bind(handle);
  handle.checkoutLatest = () => {
    looks.push(look());
    return looks.at(-1) ?? Promise.resolve();
  };
  expect(await Promise.all([countSince(since), countSince(since), countSince(since)])).toEqual([3, 3, 3]);
  expect(looks).toHaveLength(1);
});

test("a table that others have removed and made again is the new one", async () => {
  await writer.drop(space.pack);
  const gone = await reader.findSince(space, performance.now()).catch((): Table | undefined => undefined);
  expect(gone).toBeUndefined();
  await put(4);
  expect(await countSince(performance.now())).toBe(1);
});
