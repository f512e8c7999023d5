import type { Kysely } from "kysely";
import type { Dataset } from "../../../domain/datasets/dataset.ts";
import type { DatasetQuery } from "../../../domain/ports/datasets.ts";
import type { ListResult } from "../../../domain/ports/list.ts";
import type { Engine } from "../engine.ts";
import type { Schema } from "../schema.ts";
import { inOrder } from "../slices.ts";
import { datasetsInOrder, isIndexed } from "./dataset-order.ts";
import { listFound } from "./found-datasets.ts";
import { toDataset } from "./metadata-rows.ts";
import type { IdPage } from "./walked-lists.ts";

/** What `DatasetStore.list` does. */
export async function listDatasets(
  db: Kysely<Schema>,
  engine: Engine,
  query: DatasetQuery,
): Promise<ListResult<Dataset>> {
  const { sha256, filter, fileExts = [], offset } = query;
  const isFound = sha256.length > 0 || filter !== undefined || fileExts.length > 0 || !isIndexed(query);
  const { total, ids } = isFound ? await listFound(db, engine, query) : await pageInOrder(db, query);
  if (ids.length === 0) return { total, data: [] };
  const rows = await db.selectFrom("datasets").selectAll().where("id", "in", ids).execute();
  return { total: Math.max(total, offset + ids.length), data: inOrder(ids, rows, ({ id }) => id).map(toDataset) };
}

async function pageInOrder(db: Kysely<Schema>, query: DatasetQuery): Promise<IdPage> {
  const { total, ids } = await datasetsInOrder(db, query);
  return { total, ids: await ids(query.offset, query.limit) };
}
