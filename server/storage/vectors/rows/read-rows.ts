import type { Table } from "@lancedb/lancedb";
import type { DatasetId, WorkspaceId } from "../../../domain/ids.ts";
import type { DenseSpace, PageKey, SpaceRef } from "../../../domain/ports/vectors.ts";
import { columnsOf } from "../../features/columns.ts";
import { vectorsOfCodes } from "../dense/codes.ts";
import { datasetFilter, pageId, parsePageId, rowsFilter } from "../filters.ts";
import { loadLance } from "../lance.ts";
import { columnName, rowsIn } from "../layout.ts";

interface RowCounts {
  readonly version: number;
  /** Number of rows by kind: true for documents, false for pages. */
  readonly rows: Map<boolean, Promise<number>>;
}

const counted = new WeakMap<Table, RowCounts>();

/**
 * Returns the number of rows of pages, or of documents, in the table. Nearly every query needs it, so it is counted
 * once per version of the table.
 */
export async function countRows(table: Table, ofDocuments: boolean): Promise<number> {
  const version = await table.version();
  let known = counted.get(table);
  if (known?.version !== version) counted.set(table, (known = { version, rows: new Map() }));
  const { rows } = known;
  const count = rows.get(ofDocuments) ?? table.countRows(`isDocument = ${ofDocuments}`);
  rows.set(ofDocuments, count);
  count.catch(() => rows.delete(ofDocuments));
  return count;
}

/** Lists the rows with values in the space, of one dataset or of all. */
export async function listRows(
  table: Table,
  space: SpaceRef,
  datasetId: DatasetId | undefined,
): Promise<Iterable<PageKey>> {
  const [column] = columnsOf(await loadLance(), space);
  const conditions = [
    `${columnName(column?.name ?? "")} IS NOT NULL`,
    ...(datasetId === undefined ? [] : [datasetFilter(datasetId)]),
  ];
  const rows = await table.query().where(conditions.join(" AND ")).select(["id"]).toArrow();
  return parsed(rows.getChild("id") ?? []);
}

function* parsed(ids: Iterable<unknown>): Generator<PageKey> {
  for (const id of ids) {
    const row = parsePageId(String(id));
    if (row !== undefined) yield row;
  }
}

/** Returns the vectors of a page, in the order in which they were stored; none if the page has no row. */
export async function vectorsIn(
  table: Table,
  space: DenseSpace,
  page: PageKey,
  workspaceId: WorkspaceId,
): Promise<readonly Float32Array[]> {
  const lance = await loadLance();
  const columns = columnsOf(lance, space).map(({ name }) => columnName(name));
  const query = table.query().where(rowsFilter([pageId(page)]));
  const [row] = rowsIn(await query.select(["id", ...columns]).toArrow(), space, workspaceId);
  if (row === undefined || "terms" in row) return [];
  return "codes" in row ? vectorsOfCodes(row) : row.vectors;
}
