import { mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import { createFolderPlace, folderNameOf } from "./folder.ts";
import { putDense } from "./put.ts";
import { elsewhere, nameOf, openTables, type Tables } from "./tables.ts";

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

describe("in a folder of this machine", () => {
  let near: Tables;
  beforeAll(async () => {
    near = await openTables(url, createFolderPlace(url));
  });
  afterAll(() => near.close());
  const nearSince = async (since: number): Promise<Table> => {
    const table = await near.findSince(space, since);
    if (table === undefined) throw new Error("there is a table");
    return table;
  };

  test("every read is given all that was written before it, whatever time it names", async () => {
    for (const [page, count] of [
      [5, 2],
      [6, 3],
      [7, 4],
    ] as const) {
      await put(page);
      expect(await (await nearSince(performance.now() - hourMs)).countRows()).toBe(count);
    }
  });

  test("LanceDB is not asked for the newest version while nobody has written", async () => {
    const table = await nearSince(0);
    const versions = join(url, folderNameOf(nameOf(table)), "_versions");
    const aMinuteAgo = new Date(Date.now() - 60_000);
    await utimes(versions, aMinuteAgo, aMinuteAgo);
    await nearSince(0);
    const look = vi.spyOn(table, "checkoutLatest");
    await nearSince(performance.now());
    expect(look).not.toHaveBeenCalled();
    await put(8);
    expect(await (await nearSince(performance.now())).countRows()).toBe(5);
    expect(look).toHaveBeenCalledOnce();
  });

  test("a table that others have removed and made again is the new one", async () => {
    await writer.drop(space.pack);
    expect(await near.findSince(space, performance.now())).toBeUndefined();
    await put(9);
    expect(await (await nearSince(performance.now())).countRows()).toBe(1);
  });
});
