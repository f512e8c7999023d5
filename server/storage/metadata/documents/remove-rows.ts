import type { Kysely } from "kysely";
import type { DatasetId, UploadKey } from "../../../domain/ids.ts";
import type { Garbage, RowGarbage } from "../../../domain/ports/garbage.ts";
import { rowsPerTransaction } from "../batches.ts";
import type { Schema } from "../schema.ts";

interface Taken {
  /** What the rows leave behind in the blob store. */
  readonly blobs: readonly Garbage[];
  readonly isLast: boolean;
}

/** Removes some of the rows; call it in a transaction. */
export function takeRows(trx: Kysely<Schema>, { kind, key }: RowGarbage): Promise<Taken> {
  return kind === "rows" ? takePages(trx, key) : takeParts(trx, key);
}

/** Tables with rows of a dataset, and what tells those rows from each other. */
const tables = [
  ["pageWords", "page"],
  ["pages", "page"],
  ["pageCounts", "block"],
  ["indexPages", "page"],
  ["features", "key"],
  ["renditions", "key"],
] as const;

async function takePages(trx: Kysely<Schema>, id: DatasetId): Promise<Taken> {
  let left = rowsPerTransaction;
  for (const [table, name] of tables) {
    const key = trx.dynamic.ref(name);
    const { numDeletedRows } = await trx
      .deleteFrom(table)
      .where("datasetId", "=", id)
      .where(key, "in", trx.selectFrom(table).select(key).where("datasetId", "=", id).limit(left))
      .executeTakeFirstOrThrow();
    left -= Number(numDeletedRows);
    if (left <= 0) return { blobs: [], isLast: false };
  }
  return { blobs: [], isLast: true };
}

async function takeParts(trx: Kysely<Schema>, uploadKey: UploadKey): Promise<Taken> {
  const some = trx
    .selectFrom("uploadParts")
    .select("partNumber")
    .where("uploadKey", "=", uploadKey)
    .limit(rowsPerTransaction);
  const removed = await trx
    .deleteFrom("uploadParts")
    .where("uploadKey", "=", uploadKey)
    .where("partNumber", "in", some)
    .returning("blobKey")
    .execute();
  return {
    blobs: removed.map(({ blobKey }) => ({ kind: "blob", key: blobKey })),
    isLast: removed.length < rowsPerTransaction,
  };
}
