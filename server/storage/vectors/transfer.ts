import type { DatasetId } from "../../domain/ids.ts";
import type { CodedRow, DenseRow, PageKey, SpaceRef, StoredRow, TermsRow } from "../../domain/ports/vectors.ts";
import { retryVanished } from "./conflicts.ts";
import { datasetsFilter, parseRowId, rowsFilter } from "./filters.ts";
import { putDense, putTerms } from "./put.ts";
import { storedRows } from "./rows.ts";
import type { Tables } from "./tables.ts";
import type { TablesInUse } from "./use.ts";

/** Rows that are read together; of late interaction some 50 MB. */
const rowsPerRead = 200;

export async function* readRows(
  use: Pick<TablesInUse, "read">,
  space: SpaceRef,
  datasetIds: readonly DatasetId[],
  pages?: ReadonlySet<number>,
): AsyncGenerator<readonly StoredRow[]> {
  if (datasetIds.length === 0) return;
  const all = await use.read((tables) => listKeys(tables, space, datasetIds));
  const keys = pages === undefined ? all : all.filter(({ page }) => pages.has(page));
  for (let from = 0; from < keys.length; from += rowsPerRead) {
    const some = keys.slice(from, from + rowsPerRead);
    yield await use.read(async (tables) => {
      const table = await tables.find(space);
      if (table === undefined) return [];
      return retryVanished(async () => storedRows(await table.query().where(rowsFilter(some)).toArrow()));
    });
  }
}

async function listKeys(tables: Tables, space: SpaceRef, datasetIds: readonly DatasetId[]): Promise<PageKey[]> {
  const table = await tables.find(space);
  if (table === undefined) return [];
  const rows = await retryVanished(() => table.query().where(datasetsFilter(datasetIds)).select(["id"]).toArrow());
  return [...(rows.getChild("id") ?? [])].flatMap((id) => parseRowId(String(id)) ?? []);
}

export async function putRows(tables: Tables, space: SpaceRef, rows: readonly StoredRow[]): Promise<void> {
  if (space.kind === "dense") await putDense(tables, space, rows.map(asDense));
  else await putTerms(tables, space, rows.map(asTerms));
}

function asDense(row: StoredRow): DenseRow | CodedRow {
  if ("vectors" in row || "codes" in row) return row;
  throw new TypeError("a row of words for a space of vectors");
}

function asTerms(row: StoredRow): TermsRow {
  if ("terms" in row) return row;
  throw new TypeError("a row of vectors for a space of words");
}
