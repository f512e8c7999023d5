import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import { loadLance } from "./lance.ts";
import { openLanceVectors } from "./open.ts";
import { tableName } from "./table-names.ts";

const lexical = { kind: "lexical", pack: "p@1", name: "words" } as const;
const dense = { kind: "dense", pack: "p@1", name: "text", dimensions: 64 } as const;

async function filesIn(folder: string): Promise<{ names: string[]; bytes: number }> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name))));
  return { names, bytes: sizes.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0) };
}

test("an emptied table keeps next to nothing, no word of what was in it, and goes on working", async () => {
  const url = await mkdtemp(join(tmpdir(), "drs-maintain-"));
  const store = await openLanceVectors({ url, retentionMs: 0 });
  const row = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "" };
  const pages = Array.from({ length: 300 }, (_, index) => index + 1);
  // One word per page that has no other form.
  const wordOf = (page: number): string =>
    `chapter${Array.from(String(page), (digit) => "bcdfghjklm"[Number(digit)]).join("")}zq`;
  const wordsOf = (page: number): string => `${wordOf(page)} harbour ${"lantern ".repeat(page % 7)}`;
  const fill = async (): Promise<void> => {
    await store.putLexical(
      lexical,
      pages.map((page) => ({ ...row, page, words: wordsOf(page) })),
    );
    const vector = (page: number): Float32Array => Float32Array.from({ length: 64 }, (_, at) => Math.sin(page * at));
    await store.putDense(
      dense,
      pages.map((page) => ({ ...row, page, vectors: [vector(page)] })),
    );
    await store.maintain();
  };
  const search = async (): Promise<number | undefined> => {
    const scope = { workspaceId: row.workspaceId, datasetIds: undefined, limit: 5 };
    return (await store.searchLexical(lexical, wordOf(77), scope))[0]?.page;
  };

  await fill();
  expect(await search()).toBe(77);
  expect((await filesIn(url)).bytes).toBeGreaterThan(100_000);
  await store.removeDataset(row.datasetId);
  await store.maintain();
  await store.maintain();
  expect((await filesIn(url)).bytes).toBeLessThan(20_000);
  expect((await filesIn(url)).names.filter((name) => name.includes("/data/"))).toEqual([]);
  expect(await search()).toBeUndefined();

  await fill();
  expect(await search()).toBe(77);
  await store.close();
  await rm(url, { recursive: true });
});

test("a table that grows by a few pages again and again stays in few files, and its vector index in few parts", async () => {
  const url = await mkdtemp(join(tmpdir(), "drs-growing-"));
  const store = await openLanceVectors({ url, retentionMs: 0 });
  const row = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "" };
  const put = (from: number, count: number): Promise<void> =>
    store.putDense(
      dense,
      Array.from({ length: count }, (_, at) => ({
        ...row,
        page: from + at,
        vectors: [Float32Array.from({ length: 64 }, (_, dimension) => Math.sin((from + at) * (dimension + 1)))],
      })),
    );
  await put(1, 2_100);
  await store.maintain();
  for (let round = 0; round < 12; round++) {
    await put(2_101 + 3 * round, 3);
    await store.maintain();
  }
  await store.maintain();
  await store.close();
  const { lancedb } = await loadLance();
  const table = await (await lancedb.connect(url)).openTable(tableName(dense));
  const index = (await table.listIndices()).find(({ columns }) => columns.includes("vectors"));
  expect(index?.numSegments).toBeLessThanOrEqual(8);
  expect((await table.stats()).fragmentStats.numFragments).toBeLessThanOrEqual(8);
  expect(await table.countRows()).toBe(2_136);
  await rm(url, { recursive: true });
});
