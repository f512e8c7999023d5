import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { DenseSpace, VectorStore } from "../../server/domain/ports/vectors.ts";
import { openLanceVectors } from "../../server/storage/vectors/open.ts";
import type { VectorFixture } from "./testing/vectors.ts";
import { vectorsContract } from "./vectors.contract.ts";
import { createLibrary } from "./testing/library.ts";

vectorsContract("LanceDB folder", openFolder);

async function openFolder(): Promise<VectorFixture> {
  const url = await mkdtemp(join(tmpdir(), "drs-vectors-"));
  const connections: VectorStore[] = [];
  return {
    async connect() {
      const store = await openLanceVectors({ url, retentionMs: 0 });
      connections.push(store);
      return store;
    },
    size: () => sizeOf(url),
    async dispose() {
      for (const store of connections) await store.close();
      await rm(url, { recursive: true });
    },
  };
}

describe("vectors in LanceDB", () => {
  const space = { kind: "dense", pack: "p@1", name: "text", dimensions: 8 } as const;

  it("removes what an interrupted write has left when no other process can still be writing it: after seven days", async () => {
    const url = await mkdtemp(join(tmpdir(), "drs-vectors-"));
    const store = await openLanceVectors({ url, retentionMs: 0 });
    const row = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "", page: 1 };
    await store.putDense(space, [{ ...row, vectors: [new Float32Array(8).fill(1)] }]);
    const table = (await readdir(url)).find((name) => name.endsWith(".lance")) ?? "";
    const stray = join(url, table, "data", "0123456789abcdef0123456789.lance");
    await writeFile(stray, "half a file");
    const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
    await utimes(stray, daysAgo(6), daysAgo(6));
    await store.maintain();
    expect((await stat(stray)).size).toBeGreaterThan(0);
    await utimes(stray, daysAgo(8), daysAgo(8));
    await store.maintain();
    await expect(stat(stray)).rejects.toThrow(/ENOENT/);
    expect(await store.vectorsOf(space, row.datasetId, 1, "")).toHaveLength(1);
    await store.close();
    await rm(url, { recursive: true });
  });

  it("finds by the index of a large table what comparing all pages finds, also pages that came after it", async () => {
    const url = await mkdtemp(join(tmpdir(), "drs-vectors-"));
    const store = await openLanceVectors({ url, retentionMs: 0 });
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
    const indices = (await readdir(url, { recursive: true })).filter((path) => /_indices\/[^/]+\/auxiliary/.test(path));
    expect(indices.length).toBeGreaterThanOrEqual(spaces.length);
    await store.close();
    await rm(url, { recursive: true });
  });

  it("is not loaded before it is needed", async () => {
    const url = await mkdtemp(join(tmpdir(), "drs-vectors-"));
    const module = new URL("../../server/storage/vectors/open.ts", import.meta.url).href;
    const script = `
      const { openLanceVectors } = await import(${JSON.stringify(module)});
      const store = await openLanceVectors({ url: ${JSON.stringify(url)} });
      await store.ping();
      await store.close();
      const shared = process.report.getReport().sharedObjects;
      console.log(shared.filter((path) => path.includes("lancedb")).length);`;
    const run = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
    expect(run.stdout.trim()).toBe("0");
    await rm(url, { recursive: true });
  });
});

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}
