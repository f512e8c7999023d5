import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { IndexTables } from "../../server/domain/ports/index-tables.ts";
import type { VectorStore } from "../../server/domain/ports/vector-store.ts";
import { featureCodec } from "../../server/storage/features/codec.ts";
import { mountSmallDisk } from "../service/small-disk.ts";
import { type LanceFolder, openLanceFolder } from "./testing/lance-folder.ts";
import { axis, pagesOf, scope } from "./testing/vectors.ts";
import { documents, putDocument, putPages, text, whole, words } from "./testing/whole-pack.ts";

const index = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "g" };
const of = { workspaceId: index.workspaceId, pack: whole.id };

async function openFolder(): Promise<LanceFolder> {
  const folder = await openLanceFolder();
  onTestFinished(() => folder.dispose());
  return folder;
}

const put = (store: VectorStore, page: number): Promise<string> =>
  putPages(store, index, { [page]: { words: "otter", at: 0 } });

async function found(store: VectorStore): Promise<readonly number[]> {
  const hits = await store.searchDense(text, axis(0), scope(index.workspaceId));
  const byWords = await store.searchLexical(words, "otter", scope(index.workspaceId));
  const pages = [hits, byWords].map((some) => pagesOf(some).toSorted((one, other) => one - other));
  expect(pages[0]).toEqual(pages[1]);
  return pages[0] ?? [];
}

/** Names of tables that are garbage, now or later. */
async function garbageOf({ metadata }: LanceFolder): Promise<readonly string[]> {
  const all = await metadata.garbage.due(Date.now() + 100 * 86_400_000, 1_000);
  return all.filter(({ kind }) => kind === "table").map(({ key }) => key);
}

it("is another where the spaces of the pack have become others", async () => {
  const folder = await openFolder();
  const store = await folder.open();
  const name = await put(store, 1);
  const fewer = { id: whole.id, spaces: [words] };
  const pages = [{ page: 2, spaces: [{ space: words.name, kind: "lexical", words: "otter" } as const] }];
  const features = featureCodec.make(fewer.spaces, pages, index);
  expect(await store.put(fewer, features, index)).not.toBe(name);
  expect(await garbageOf(folder)).toEqual([name]);
  expect(pagesOf(await store.searchLexical(words, "otter", scope(index.workspaceId)))).toEqual([2]);
  // Dimensions are told apart as well.
  const narrow = { ...text, dimensions: 8 };
  const other = { id: whole.id, spaces: [narrow] };
  const vectors = [
    { page: 3, spaces: [{ space: text.name, kind: "dense", vectors: [new Float32Array(8).fill(1)] } as const] },
  ];
  await store.put(other, featureCodec.make(other.spaces, vectors, index), index);
  expect(pagesOf(await store.searchDense(narrow, new Float32Array(8).fill(1), scope(index.workspaceId)))).toEqual([3]);
});

describe("a table that was written to in another run of the machine", () => {
  /** Opens the store in the next run, and gives why tables were given up in it. */
  async function inNextRun(folder: LanceFolder) {
    const reasons: string[] = [];
    return { reasons, store: await folder.open({ run: "next", onGivenUp: (_, why) => reasons.push(why) }) };
  }

  it.each([0, 1])("is given up after %i rounds of maintenance, the last of which has changed it", async (rounds) => {
    const folder = await openFolder();
    const before = await folder.open({ run: "before" });
    const name = await put(before, 1);
    await putDocument(before, index, { 0: "otter" });
    for (let round = 0; round < rounds; round++) await before.maintain();
    expect(await found(before)).toEqual([1]);
    const { store, reasons } = await inNextRun(folder);
    expect(await found(store)).toEqual([]);
    expect(await store.searchLexical(documents, "otter", scope(index.workspaceId))).toEqual([]);
    expect(reasons).toEqual([expect.stringMatching(/the machine/)]);
    expect(await garbageOf(folder)).toEqual([name]);
    expect(await put(store, 1)).not.toBe(name);
    expect(await found(store)).toEqual([1]);
    expect(reasons).toHaveLength(1);
  });

  it("is relied on once a round of maintenance that changed nothing has put it on disk", async () => {
    const folder = await openFolder();
    const before = await folder.open({ run: "before" });
    const name = await put(before, 1);
    for (let round = 0; round < 3; round++) await before.maintain();
    const { store, reasons } = await inNextRun(folder);
    expect(await found(store)).toEqual([1]);
    expect(await put(store, 2)).toBe(name);
    expect(await found(store)).toEqual([1, 2]);
    expect(reasons).toEqual([]);
  });

  it("is given up by whatever is done first", async () => {
    const acts: readonly ((store: VectorStore) => Promise<unknown>)[] = [
      (store) => put(store, 2),
      (store) => store.remove({ ...of, datasetId: newDatasetId() }),
      (store) => store.maintain(),
      (store) => store.verify(of),
      (store) => store.searching().searchLexical(words, "otter", scope(index.workspaceId)),
    ];
    for (const act of acts) {
      const folder = await openFolder();
      await put(await folder.open({ run: "before" }), 1);
      const { store, reasons } = await inNextRun(folder);
      await act(store);
      expect(reasons).toHaveLength(1);
      expect(await found(store)).not.toContain(1);
    }
  });

  it("is written on while the machine runs, by whichever process", async () => {
    const folder = await openFolder();
    const [one, other] = [await folder.open(), await folder.open()];
    expect(await put(one, 1)).toBe(await put(other, 2));
    expect(await found(one)).toEqual([1, 2]);
  });
});

describe("a table", () => {
  it("is not given up for a question that LanceDB refuses", async () => {
    const folder = await openFolder();
    const reasons: string[] = [];
    const store = await folder.open({ onGivenUp: (_, why) => reasons.push(why) });
    await put(store, 1);
    for (let time = 0; time < 2; time++) {
      await expect(store.searchDense(text, new Float32Array(3), scope(index.workspaceId))).rejects.toThrow(/./);
    }
    expect(reasons).toEqual([]);
    expect(await found(store)).toEqual([1]);
  });

  it("is not given up while others write to it and remove what it was made of", { timeout: 120_000 }, async () => {
    const folder = await openFolder();
    const reasons: string[] = [];
    const open = () => folder.open({ onGivenUp: (_, why) => reasons.push(why) });
    const [store, other] = [await open(), await open()];
    const many = (from: number) =>
      new Map(Array.from({ length: 1_500 }, (_, at) => [from + at, { words: "lynx", at }]));
    for (const from of [100, 2_000]) await putPages(store, index, many(from));
    const written = new AbortController();
    const writing = async (): Promise<void> => {
      for (let round = 0; round < 8; round++) {
        await putPages(other, index, many(100 + 500 * (round % 3)));
        await other.maintain();
      }
      written.abort();
    };
    const looking = async (): Promise<void> => {
      while (!written.signal.aborted) expect(await store.verify(of)).toBeUndefined();
    };
    await Promise.all([writing(), looking()]);
    expect(reasons).toEqual([]);
  });

  it("is one where several begin with it, and those of the others are garbage", async () => {
    const folder = await openFolder();
    const stores = await Promise.all([folder.open(), folder.open(), folder.open()]);
    const [name] = await Promise.all(stores.map((store, at) => put(store, at + 1)));
    expect(await garbageOf(folder)).not.toContain(name);
    const tables = await folder.tables();
    expect(await garbageOf(folder)).toHaveLength(tables.length - 1);
    await folder.sweep();
    expect(await folder.tables()).toEqual([expect.stringContaining(name ?? "a name")]);
    expect(await garbageOf(folder)).toEqual([]);
    expect(await found(stores[1])).toEqual([1, 2, 3]);
  });

  it("is made again by a writer that had it open while the folder was removed", async () => {
    const folder = await openFolder();
    const reasons: string[] = [];
    const store = await folder.open({ onGivenUp: (_, why) => reasons.push(why) });
    const name = await put(store, 1);
    await rm(folder.url, { recursive: true });
    expect(await put(store, 2)).not.toBe(name);
    expect(await found(store)).toEqual([2]);
    expect(reasons).toHaveLength(1);
  });

  it("is removed when it was given up, also if nothing is left of it", async () => {
    const folder = await openFolder();
    const store = await folder.open();
    const name = await put(store, 1);
    await store.removePack(whole.id);
    expect(await garbageOf(folder)).toEqual([name]);
    for (let time = 0; time < 2; time++) await store.removeTable(name);
    expect(await folder.tables()).toEqual([]);
  });
});

const { disk, reason } = mountSmallDisk(16 * 2 ** 20);

describe.skipIf(disk === undefined)(`a table on a full disk${reason}`, () => {
  afterAll(() => disk?.remove());

  it.each([0, 16 * 2 ** 10])("with %i bytes free is read, and written to again when there is room", async (bytes) => {
    const folder = await openFolder();
    const reasons: string[] = [];
    const url = join(disk?.path ?? "", `vectors-${bytes}`);
    const open = () => folder.open({ url, onGivenUp: (_, why) => reasons.push(why) });
    const [store, later] = [await open(), await open()];
    await put(store, 1);
    disk?.fill(bytes);
    const many = new Map(Array.from({ length: 200 }, (_, at) => [at + 10, { words: "lynx", at: 8 }]));
    await expect(putPages(store, index, many)).rejects.toThrow(/./);
    await expect(putPages(store, { ...index, workspaceId: newWorkspaceId() }, many)).rejects.toThrow(/./);
    for (const each of [store, later]) expect(await found(each)).toEqual([1]);
    disk?.free();
    expect(reasons).toEqual([]);
    await put(store, 2);
    await store.maintain();
    expect(await store.verify(of)).toBeUndefined();
    expect(await found(later)).toEqual([1, 2]);
    expect(reasons).toEqual([]);
  });
});

it("keeps a table whose first rows are on their way while it is maintained", async () => {
  const folder = await openFolder();
  const other = await folder.open();
  const { metadata } = folder;
  const noteWrite: IndexTables["noteWrite"] = async (...write) => {
    const noted = await metadata.indexTables.noteWrite(...write);
    await other.maintain();
    return noted;
  };
  const indexTables: IndexTables = { ...metadata.indexTables, noteWrite };
  const store = await folder.open({ metadata: { garbage: metadata.garbage, indexTables } });
  await put(store, 1);
  await put(store, 2);
  expect(await found(other)).toEqual([1, 2]);
});
