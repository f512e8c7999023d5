import type { Kysely } from "kysely";
import type { DatasetId } from "../../../domain/ids.ts";
import type { FeaturePart, FeaturesOf, FeatureStore } from "../../../domain/ports/features.ts";
import type { Garbage } from "../../../domain/ports/garbage.ts";
import { batches } from "../batches.ts";
import { enterGarbage, keepBlob } from "../documents/garbage.ts";
import { mergeRanges } from "../ranges.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import { toRebuild } from "./index-rows.ts";
import { holdTable } from "./index-tables.ts";

export function featureStore(db: Kysely<Schema>): FeatureStore {
  return {
    async parts({ datasetId, generation }) {
      const rows = await db
        .selectFrom("features")
        .select(["key", "pages", "bytes", "sha256", "table"])
        .where("datasetId", "=", datasetId)
        .where("generation", "=", generation)
        .orderBy("number")
        .execute();
      return rows.map((row) => ({ ...row, pages: parsePages(row.pages) }));
    },

    entered: ({ datasetId, generation }, keys, table) =>
      inTransaction(db, async (trx) => {
        if ((await holdTable(trx, { datasetId, generation })) !== table) return;
        for (const batch of batches(keys)) {
          await trx
            .updateTable("features")
            .set({ table })
            .where("datasetId", "=", datasetId)
            .where("generation", "=", generation)
            .where("key", "in", batch)
            .execute();
        }
      }),

    remove: ({ datasetId, generation }, keys, now) =>
      inTransaction(db, async (trx) => {
        const removed = await trx
          .deleteFrom("features")
          .where("datasetId", "=", datasetId)
          .where("generation", "=", generation)
          .where("key", "in", [...keys])
          .returning("key")
          .execute();
        await enterGarbage(
          trx,
          removed.map(({ key }) => ({ kind: "blob", key })),
          now,
        );
      }),
  };
}

/**
 * Lists a part. Call it in the transaction that marks the part's pages, under a claim on the index, so that no other
 * part is listed in between. If the table has been discarded in the meantime, a served index is marked to be filled
 * again.
 */
export async function listPart(
  trx: Kysely<Schema>,
  { datasetId, generation }: FeaturesOf,
  part: FeaturePart,
): Promise<void> {
  const { last } = await trx
    .selectFrom("features")
    .select(({ fn }) => fn.max("number").as("last"))
    .where("datasetId", "=", datasetId)
    .where("generation", "=", generation)
    .executeTakeFirstOrThrow();
  const { key, pages, bytes, sha256 } = part;
  const isInTable = (await holdTable(trx, { datasetId, generation })) === part.table;
  const table = isInTable ? part.table : "";
  await trx
    .insertInto("features")
    .values({ datasetId, generation, number: (last ?? 0) + 1, key, pages: formatPages(pages), bytes, sha256, table })
    .execute();
  await keepBlob(trx, key);
  if (isInTable) return;
  await trx
    .updateTable("indices")
    .set(toRebuild("missing"))
    .where("datasetId", "=", datasetId)
    .where("generation", "=", generation)
    .where("role", "=", "served")
    .where(({ eb, or }) => or([eb("rebuild", "is", null), eb("rebuild", "=", "said")]))
    .execute();
}

/** Whether the index has a part that is in no table. */
export async function hasUnlisted(trx: Kysely<Schema>, { datasetId, generation }: FeaturesOf): Promise<boolean> {
  const found = await trx
    .selectFrom("features")
    .select("key")
    .where("datasetId", "=", datasetId)
    .where("generation", "=", generation)
    .where("table", "=", "")
    .limit(1)
    .execute();
  return found.length > 0;
}

/** Lists the parts of an imported index, in the transaction that inserts it and its dataset. */
export async function listImported(
  trx: Kysely<Schema>,
  { datasetId, generation }: FeaturesOf,
  parts: readonly FeaturePart[],
): Promise<void> {
  const rows = parts.map(({ key, pages, bytes, sha256 }, at) => ({
    datasetId,
    generation,
    number: at + 1,
    key,
    pages: formatPages(pages),
    bytes,
    sha256,
    table: "",
  }));
  for (const batch of batches(rows)) {
    await trx.insertInto("features").values(batch).execute();
    const keys = batch.map(({ key }) => key);
    await trx.deleteFrom("garbage").where("kind", "=", "blob").where("key", "in", keys).execute();
  }
}

/** Removes parts left by an earlier dataset with the same id; their objects become garbage. */
export async function forgetFeatures(trx: Kysely<Schema>, datasetId: DatasetId): Promise<void> {
  const left = await trx.deleteFrom("features").where("datasetId", "=", datasetId).returning("key").execute();
  const blobs = left.map(({ key }): Garbage => ({ kind: "blob", key }));
  await enterGarbage(trx, blobs, 0);
}

/** Formats page numbers as ranges, such as `1-200,204`. */
const formatPages = (pages: readonly number[]): string =>
  mergeRanges(pages.map((page) => ({ from: page, to: page })))
    .map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`))
    .join(",");

const parsePages = (text: string): number[] =>
  text.split(",").flatMap((range) => {
    const [from = 0, to = from] = range.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
