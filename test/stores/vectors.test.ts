import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { VectorStore } from "../../server/domain/ports/vectors.ts";
import { openLanceVectors } from "../../server/storage/vectors/open.ts";
import { vectorsContract } from "./vectors.contract.ts";

vectorsContract("LanceDB folder", async () => {
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
});

describe("vectors in LanceDB", () => {
  const space = { kind: "dense", pack: "p@1", name: "text", dimensions: 8 } as const;

  it("removes what interrupted writes have left only as the sole writer", async () => {
    const url = await mkdtemp(join(tmpdir(), "drs-vectors-"));
    const one = await openLanceVectors({ url, retentionMs: 0 });
    const row = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), page: 1 };
    await one.putDense(space, [{ ...row, vectors: [new Float32Array(8).fill(1)] }]);
    const [table = ""] = await readdir(url);
    const stray = join(url, table, "data", "0123456789abcdef0123456789.lance");
    await writeFile(stray, "half a file");
    const yesterday = Date.now() / 1000 - 86_400;
    await utimes(stray, yesterday, yesterday);
    await one.maintain();
    expect((await stat(stray)).size).toBeGreaterThan(0);
    await one.close();
    const sole = await openLanceVectors({ url, retentionMs: 0, soleWriter: true });
    await sole.maintain();
    await expect(stat(stray)).rejects.toThrow(/ENOENT/);
    expect(await sole.vectorsOf(space, row.datasetId, 1)).toHaveLength(1);
    await sole.close();
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
