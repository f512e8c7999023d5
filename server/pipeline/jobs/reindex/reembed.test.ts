import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../../domain/ids.ts";
import type { IndexOf } from "../../../domain/ports/features.ts";
import type { VectorStore } from "../../../domain/ports/vector-store.ts";
import { closeStores, openStores, type Stores } from "../../../stores.ts";
import { featureCodec } from "../../../storage/features/codec.ts";
import { retireStray } from "../document/put-pages.ts";
import { clearAway } from "./reembed.ts";

const space = { kind: "lexical", pack: "old@1.0.0", name: "words" } as const;
const packOf = (id: string) => ({ id, model: id, manifest: "{}" });

describe("clearAway", () => {
  let dataDir: string;
  let stores: Stores;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "drs-clear-"));
    stores = await openStores({ dataDir, databaseUrl: undefined, blobUrl: undefined, vectorUrl: undefined });
  });
  afterEach(async () => {
    await closeStores(stores);
    await rm(dataDir, { recursive: true, force: true });
  });

  async function clearAll(): Promise<void> {
    const context = { ...stores, clock: Date.now, log: pino({ level: "silent" }) };
    while (await clearAway(context));
  }

  const write = (vectors: VectorStore, index: IndexOf): Promise<string> => {
    const page = { page: 1, spaces: [{ space: space.name, kind: "lexical", words: "late" }] } as const;
    return vectors.put({ id: space.pack, spaces: [space] }, featureCodec.make([space], [page], index), index);
  };

  test("removes tables that a run recreates after it has lost its claim", async () => {
    const { metadata, vectors } = stores;
    const row = { datasetId: newDatasetId(), workspaceId: newWorkspaceId(), generation: "g" };
    await metadata.packs.use(packOf(space.pack), 1);
    await write(vectors, row);
    await metadata.packs.use(packOf("new@1.0.0"), 2);
    await clearAll();
    expect(await Array.fromAsync(vectors.rowsOf(space, row.workspaceId))).toEqual([]);

    await write(vectors, row);
    await retireStray({ metadata, clock: Date.now }, { ...row, pack: space.pack });
    await clearAll();
    expect(await Array.fromAsync(vectors.rowsOf(space, row.workspaceId))).toEqual([]);
    expect((await metadata.packs.list()).map(({ id }) => id)).toEqual(["new@1.0.0"]);
  });
});
