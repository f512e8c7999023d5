import { execFile } from "node:child_process";
import { readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { DenseSpace } from "../../server/domain/ports/vectors.ts";
import { bySpace, createPlacement } from "./testing/by-space.ts";
import { openLanceFolder } from "./testing/lance-folder.ts";
import { createLibrary } from "./testing/library.ts";
import { axis } from "./testing/vectors.ts";
import { type Content, denseSpaces, putPages, whole } from "./testing/whole-pack.ts";
import { vectorsContract } from "./vectors.contract.ts";

vectorsContract("LanceDB folder", async () => {
  const { open, ...folder } = await openLanceFolder();
  return { ...folder, connect: () => open() };
});

describe("vectors in LanceDB", () => {
  const space = { kind: "dense", pack: "p@1", name: "text", dimensions: 8 } as const;

  it("removes what an interrupted write has left when no other process can still be writing it: after seven days", async () => {
    const folder = await openLanceFolder();
    const store = bySpace(await folder.open(), createPlacement());
    const row = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "", page: 1 };
    const put = () => store.putDense(space, [{ ...row, vectors: [new Float32Array(8).fill(1)] }]);
    await put();
    const [table = ""] = await folder.tables();
    const stray = join(table, "data", "0123456789abcdef0123456789.lance");
    await writeFile(stray, "half a file");
    const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
    await utimes(stray, daysAgo(6), daysAgo(6));
    await store.maintain();
    expect((await stat(stray)).size).toBeGreaterThan(0);
    await utimes(stray, daysAgo(8), daysAgo(8));
    // Tables that were not written to are left alone.
    await put();
    await store.maintain();
    await expect(stat(stray)).rejects.toThrow(/ENOENT/);
    expect(await store.vectorsOf(space, row.datasetId, 1, "")).toHaveLength(1);
    await folder.dispose();
  });

  it("finds by the index of a large table what comparing all pages finds, also pages that came after it", async () => {
    const folder = await openLanceFolder();
    const store = bySpace(await folder.open(), createPlacement());
    const library = createLibrary({ dimensions: 128, pages: 2_300, vectorsPerPage: 4 });
    const spaces: DenseSpace[] = [
      { ...space, name: "best", dimensions: 128 },
      { ...space, name: "coded", dimensions: 128, firstPass: "first" },
      { ...space, name: "max-sim", dimensions: 128, scoring: "max-sim", firstPass: "pooled" },
    ];
    const [workspaceId, datasetId] = [newWorkspaceId(), newDatasetId()];
    const rows = library.pages.map((page, at) => ({ workspaceId, datasetId, generation: "", page: at + 1, ...page }));
    for (const from of [0, 2_100]) {
      for (const each of spaces) await store.putDense(each, rows.slice(from, from === 0 ? 2_100 : undefined));
      if (from === 0) await store.maintain();
    }
    for (const each of spaces) {
      const recalls = Array.from({ length: 8 }, async () => {
        const query = library.query(each.scoring === "max-sim" ? 6 : 1);
        const hits = await store.searchDense(each, query, { workspaceId, datasetIds: undefined, limit: 10 });
        const found = new Set(hits.map(({ page }) => page));
        return library.nearest(query, 10).filter((page) => found.has(page)).length / 10;
      });
      const recall = (await Promise.all(recalls)).reduce((sum, one) => sum + one, 0) / recalls.length;
      // The vectors of these pages do not lean on the first, so that its pass loses some.
      const least = each.firstPass === "first" ? 0.8 : 0.97;
      expect({ space: each.name, enough: recall >= least }).toEqual({ space: each.name, enough: true });
    }
    const files = await readdir(folder.url, { recursive: true });
    const indices = files.filter((path) => /_indices\/[^/]+\/auxiliary/.test(path));
    expect(indices.length).toBeGreaterThanOrEqual(spaces.length);
    await folder.dispose();
  });

  it.each([0, 1, 300])("indexes a large table in which %i pages have vectors", async (some) => {
    const folder = await openLanceFolder();
    const store = await folder.open();
    const index = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "g" };
    const find = async () =>
      Promise.all(
        denseSpaces.map(async (searched) => {
          const asked = { workspaceId: index.workspaceId, datasetIds: undefined, limit: 500 };
          return (await store.searchDense(searched, axis(1), asked)).length;
        }),
      );
    const pages = new Map<number, Content>(
      Array.from({ length: 2_300 }, (_, at) => [at + 1, at < some ? { words: "otter", at } : { words: "otter" }]),
    );
    await putPages(store, index, pages);
    expect(await find()).toEqual([some, some, some]);
    for (let round = 0; round < 2; round++) await store.maintain();
    expect(await find()).toEqual([some, some, some]);
    expect(await folder.metadata.indexTables.due(Date.now() + 1, 10)).toEqual([]);
    await putPages(store, index, { 2_301: { at: 1 } });
    expect(await find()).toEqual([some + 1, some + 1, some + 1]);
    await store.maintain();
    expect(await find()).toEqual([some + 1, some + 1, some + 1]);
    await putPages(store, index, new Map(pages.entries().map(([page]) => [page, { at: page }])));
    await store.maintain();
    await putPages(store, index, pages);
    for (let round = 0; round < 3; round++) await store.maintain();
    expect(await find()).toEqual([some + 1, some + 1, some + 1]);
    expect(await folder.metadata.indexTables.due(Date.now() + 1, 10)).toEqual([]);
    expect(await store.verify({ workspaceId: index.workspaceId, pack: whole.id })).toBeUndefined();
    await folder.dispose();
  });

  it("is not loaded before it is needed", async () => {
    const folder = await openLanceFolder();
    const module = new URL("../../server/storage/vectors/open.ts", import.meta.url).href;
    const script = `
      const { openLanceVectors } = await import(${JSON.stringify(module)});
      const indexTables = { find: async () => undefined };
      const metadata = { indexTables, garbage: {} };
      const store = await openLanceVectors({ url: ${JSON.stringify(folder.url)}, metadata, clock: Date.now });
      const space = { kind: "lexical", pack: "p@1", name: "words" };
      await store.ping();
      await store.searchLexical(space, "x", { workspaceId: "ws", datasetIds: undefined, limit: 1 });
      await store.close();
      const shared = process.report.getReport().sharedObjects;
      console.log(shared.filter((path) => path.includes("lancedb")).length);`;
    const run = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
    expect(run.stdout.trim()).toBe("0");
    await folder.dispose();
  });
});
