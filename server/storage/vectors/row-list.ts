import type { Table } from "@lancedb/lancedb";
import type { DatasetId } from "../../domain/ids.ts";
import type { PageKey } from "../../domain/ports/vectors.ts";
import { retryVanished } from "./conflicts.ts";
import { datasetFilter, parseRowId } from "./filters.ts";

/** Which rows a table has. They are read at once, since maintenance would remove the version from under a slow reader. */
export async function listRows(table: Table, datasetId: DatasetId | undefined): Promise<Iterable<PageKey>> {
  const ids = await retryVanished(async () => {
    const query = table.query().select(["id"]);
    const rows = await (datasetId === undefined ? query : query.where(datasetFilter(datasetId))).toArrow();
    return rows.getChild("id");
  });
  return parsed(ids ?? []);
}

function* parsed(ids: Iterable<unknown>): Generator<PageKey> {
  for (const id of ids) {
    const row = parseRowId(String(id));
    if (row !== undefined) yield row;
  }
}
