import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLanceFolder } from "../../../test/stores/testing/lance-folder.ts";
import { axis } from "../../../test/stores/testing/vectors.ts";
import { type Content, putPages, text, whole, words } from "../../../test/stores/testing/whole-pack.ts";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import { loadLance } from "./lance.ts";

async function filesIn(folder: string): Promise<{ names: string[]; bytes: number }> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name))));
  return { names, bytes: sizes.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0) };
}

const newIndex = () => ({ workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "" });

test("nothing is left of a table that has been emptied, and its workspace continues with another", async () => {
  const folder = await openLanceFolder();
  const store = await folder.open();
  const index = newIndex();
  const pages = new Map<number, Content>(
    Array.from({ length: 300 }, (_, at) => [at + 1, { words: `harbour ${"lantern ".repeat(at % 7)}`, at }]),
  );
  const scope = { workspaceId: index.workspaceId, datasetIds: undefined, limit: 5 };
  const search = async () => [
    (await store.searchLexical(words, "lantern", scope)).length,
    (await store.searchDense(text, axis(1), scope)).length,
  ];
  const name = await putPages(store, index, pages);
  await store.maintain();
  expect(await search()).toEqual([5, 5]);
  expect((await filesIn(folder.url)).bytes).toBeGreaterThan(100_000);
  await store.remove({ ...index, generation: undefined, pack: whole.id });
  await store.maintain();
  await folder.sweep();
  expect((await filesIn(folder.url)).names).toEqual([]);
  expect(await search()).toEqual([0, 0]);
  expect(await putPages(store, index, pages)).not.toBe(name);
  expect(await search()).toEqual([5, 5]);
  await folder.dispose();
});

test("a table that grows by a few pages again and again stays in few files, and its vector index in few parts", async () => {
  const folder = await openLanceFolder();
  const store = await folder.open();
  const index = newIndex();
  const put = (from: number, count: number): Promise<string> =>
    putPages(store, index, new Map(Array.from({ length: count }, (_, at) => [from + at, { at: from + at }])));
  const name = await put(1, 2_100);
  await store.maintain();
  for (let round = 0; round < 12; round++) {
    await put(2_101 + 3 * round, 3);
    await store.maintain();
  }
  await store.maintain();
  const { lancedb } = await loadLance();
  const table = await (await lancedb.connect(folder.url)).openTable(name);
  const indices = (await table.listIndices()).filter(({ indexType }) => indexType.startsWith("Ivf"));
  expect(indices).toHaveLength(3);
  for (const { numSegments } of indices) expect(numSegments).toBeLessThanOrEqual(8);
  expect((await table.stats()).fragmentStats.numFragments).toBeLessThanOrEqual(8);
  expect(await table.countRows()).toBe(2_136);
  await folder.dispose();
});

test("tables are maintained once more than necessary, and then not until they are written to again", async () => {
  const folder = await openLanceFolder();
  const store = await folder.open();
  const [one, other] = [newIndex(), newIndex()];
  await putPages(store, one, { 1: { words: "otter" } });
  await putPages(store, other, { 1: { words: "otter" } });
  const due = async () => (await folder.metadata.indexTables.due(Date.now() + 1, 10)).length;
  expect(await due()).toBe(2);
  for (let round = 0; round < 4; round++) await store.maintain();
  expect(await due()).toBe(0);
  const [first = "", second = ""] = await folder.tables();
  const before = [await filesIn(first), await filesIn(second)];
  await store.maintain();
  expect([await filesIn(first), await filesIn(second)]).toEqual(before);
  await putPages(store, one, { 2: { words: "otter" } });
  expect(await due()).toBe(1);
  await folder.dispose();
});
