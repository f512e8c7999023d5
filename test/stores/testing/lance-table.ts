import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import type { ComputedPage, IndexOf } from "../../../server/domain/ports/features.ts";
import type { SpacesOfPack } from "../../../server/domain/ports/vector-store.ts";
import { featureCodec } from "../../../server/storage/features/codec.ts";
import { loadLance } from "../../../server/storage/vectors/lance.ts";
import { tableOfPages } from "../../../server/storage/vectors/layout.ts";
import { type CacheBounds, newTableName, openTables, type Tables } from "../../../server/storage/vectors/tables.ts";
import { mergeRows } from "../../../server/storage/vectors/write.ts";

/** A folder of tables of a pack, without the database that says which there are. */
export interface LanceTables {
  readonly tables: Tables;
  make(): Promise<Table>;
  put(table: Table, index: IndexOf, pages: readonly ComputedPage[]): Promise<void>;
  dispose(): Promise<void>;
}

export async function openLanceTables(pack: SpacesOfPack, caches?: CacheBounds): Promise<LanceTables> {
  const url = await mkdtemp(join(tmpdir(), "drs-tables-"));
  const tables = await openTables(url, { caches });
  return {
    tables,
    async make() {
      const name = newTableName();
      await tables.create(name, pack);
      return tables.open(name);
    },
    async put(table, index, pages) {
      const rows = tableOfPages(await loadLance(), pack, featureCodec.make(pack.spaces, pages, index), index);
      await mergeRows(table, rows, { pack, workspaceId: index.workspaceId });
    },
    async dispose() {
      tables.close();
      await rm(url, { recursive: true });
    },
  };
}
