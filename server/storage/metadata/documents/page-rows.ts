import { setImmediate } from "node:timers/promises";
import type { Expression, ExpressionBuilder, Kysely, SelectQueryBuilder, SqlBool } from "kysely";
import type { DatasetId } from "../../../domain/ids.ts";
import { isDatasetThere } from "./dataset-rows.ts";
import type { Schema } from "../schema.ts";
import { deflateRawSync, inflateRawSync } from "node:zlib";

/** Whether reading, embedding or rendering the page has failed. */
export function hasFailed({ eb, or }: ExpressionBuilder<Schema, "pages">): Expression<SqlBool> {
  return or([eb("failure", "is not", null), eb("embedFailure", "is not", null), eb("renderFailure", "is not", null)]);
}

/**
 * Compression level. A page has about two kilobytes of words; level 6 halves them in 0.1 ms, and higher levels save
 * hardly more.
 */
const level = 6;

/** Compresses the words of a page for storage: UTF-8, raw deflate (RFC 1951). */
export const compressWords = (words: string): Uint8Array => deflateRawSync(words, { level });

export const expandWords = (stored: Uint8Array): string => inflateRawSync(stored).toString("utf8");

/** Pages per statement, so that a statement takes a few milliseconds. */
const pagesPerStatement = 5_000;

type Condition = (builder: ExpressionBuilder<Schema, "pages">) => Expression<SqlBool>;

export const everything: Condition = ({ lit }) => lit(true);

export const isReadable: Condition = ({ eb }) => eb("failure", "is", null);

export const isUnembedded: Condition = ({ eb, and }) =>
  and([eb("failure", "is", null), eb("embedFailure", "is", null), eb("embeddedAt", "is", null)]);

export const isMarked: Condition = ({ eb, or }) =>
  or([eb("embeddedAt", "is not", null), eb("embedFailure", "is not", null)]);

/** Returns the numbers of the pages that meet the condition, ascending. */
export async function numbers(db: Kysely<Schema>, datasetId: DatasetId, condition: Condition): Promise<number[]> {
  const rows = await inPieces(db, datasetId, (piece) => piece.select("page").where(condition).execute());
  return rows.map(({ page }) => page);
}

/** Reads the pages of a dataset in ascending pieces, and yields to the event loop between two pieces. */
export async function inPieces<Row>(
  db: Kysely<Schema>,
  datasetId: DatasetId,
  read: (piece: SelectQueryBuilder<Schema, "pages", object>) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  const { last } = await db
    .selectFrom("pages")
    .select(({ fn }) => fn.max("page").as("last"))
    .where("datasetId", "=", datasetId)
    .where(isDatasetThere)
    .executeTakeFirstOrThrow();
  for (let from = 1; from <= (last ?? 0); from += pagesPerStatement) {
    const piece = db
      .selectFrom("pages")
      .where("datasetId", "=", datasetId)
      .where("page", ">=", from)
      .where("page", "<", from + pagesPerStatement)
      .orderBy("page");
    for (const row of await read(piece)) found.push(row);
    await setImmediate();
  }
  return found;
}
