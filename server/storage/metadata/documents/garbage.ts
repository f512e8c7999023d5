import type { ExpressionBuilder, Kysely, Selectable } from "kysely";
import { type DatasetId, parseDatasetId, parseUploadKey, type UploadKey } from "../../../domain/ids.ts";
import type { Garbage, GarbageStore, RowGarbage } from "../../../domain/ports/garbage.ts";
import type { Lease } from "../../../domain/ports/jobs.ts";
import { batches, byKey, rowsPerTransaction } from "../batches.ts";
import type { Schema } from "../schema.ts";
import { againIfUndone, inTransaction } from "../transaction.ts";
import type { GarbageTable } from "../tables/bookkeeping.ts";
import { convertedKey, originalKey } from "../../../domain/datasets/dataset.ts";

export function garbageStore(db: Kysely<Schema>): GarbageStore {
  return {
    async add(garbage, notBefore, lease) {
      for (const batch of batches(byKey(garbage, (one) => `${one.kind} ${keyOf(one)}`)))
        await againIfUndone(() => enterGarbage(db, batch, notBefore, lease));
    },

    async due(now, limit) {
      const rows = await db
        .selectFrom("garbage")
        .selectAll()
        .where("notBefore", "<=", now)
        .orderBy("notBefore")
        .orderBy("kind")
        .orderBy("key")
        .limit(limit)
        .execute();
      return rows.map(toGarbage);
    },

    ownerless: (keys) => inTransaction(db, (trx) => ownerless(trx, keys), "repeatable read"),
    async take(garbage, { now, until }) {
      if (garbage.length === 0) return [];
      const rows = await db
        .updateTable("garbage")
        .set({ notBefore: until })
        .where((builder) => builder.or(garbage.map((one) => isIt(one)(builder))))
        .where("notBefore", "<=", now)
        .returningAll()
        .execute();
      return rows.map(toGarbage);
    },

    async postpone(garbage, notBefore) {
      await db.updateTable("garbage").set({ notBefore }).where(isIt(garbage)).execute();
    },

    async done(garbage, notBefore) {
      await db
        .deleteFrom("garbage")
        .where(isIt(garbage))
        .$if(notBefore !== undefined, (query) => query.where("notBefore", "=", notBefore ?? null))
        .execute();
    },

    removeRows: (garbage, now) =>
      inTransaction(db, async (trx) => {
        // Only one removal runs at a time; otherwise this one would count rows that another one takes.
        await trx.selectFrom("garbage").select("key").where(isIt(garbage)).forUpdate().execute();
        const { blobs, isLast } = await takeRows(trx, garbage);
        await enterGarbage(trx, blobs, now);
        return isLast;
      }),

    async expireAll() {
      const expiring = db
        .updateTable("garbage")
        .set({ notBefore: 0 })
        .where("notBefore", ">", 0)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom("jobs").select("id").whereRef("jobs.claimToken", "=", "garbage.claimToken"))),
        );
      await againIfUndone(() => expiring.execute());
    },
  };
}

/** Puts entries on the garbage list. If an entry is on the list already, its time is replaced. */
export async function enterGarbage(
  db: Kysely<Schema>,
  garbage: readonly Garbage[],
  notBefore: number,
  lease?: Pick<Lease, "token">,
): Promise<void> {
  if (garbage.length === 0) return;
  const claimToken = lease?.token ?? null;
  await db
    .insertInto("garbage")
    .values(garbage.map((one) => ({ kind: one.kind, key: keyOf(one), notBefore, claimToken, ...tableOf(one) })))
    .onConflict((conflict) =>
      conflict.columns(["kind", "key"]).doUpdateSet(({ ref, fn }) => ({
        notBefore: ref("excluded.notBefore"),
        claimToken: ref("excluded.claimToken"),
        workspaceId: fn.coalesce("excluded.workspaceId", "garbage.workspaceId"),
        pack: fn.coalesce("excluded.pack", "garbage.pack"),
      })),
    )
    .execute();
}

export async function offList(db: Kysely<Schema>, garbage: Garbage): Promise<void> {
  await db.deleteFrom("garbage").where(isIt(garbage)).execute();
}

/** Takes a blob off the list because a row now refers to it. */
export const keepBlob = (db: Kysely<Schema>, key: string): Promise<void> => offList(db, { kind: "blob", key });

/**
 * Takes the pages and vectors of an imported dataset off the list; they were put on it before the dataset was inserted.
 */
export async function keepRows(db: Kysely<Schema>, id: DatasetId, generation: string | undefined): Promise<void> {
  const put: Garbage[] = [
    { kind: "rows", key: id },
    { kind: "vectors", key: id },
    ...(generation === undefined ? [] : [{ kind: "vectors", key: id, generation } as const]),
  ];
  for (const garbage of put) await offList(db, garbage);
}

const isIt = (garbage: Garbage) => (builder: ExpressionBuilder<Schema, "garbage">) =>
  builder.and([builder("kind", "=", garbage.kind), builder("key", "=", keyOf(garbage))]);

/** Returns the key column of an entry: `DATASET@GENERATION` for the vectors of one generation. */
function keyOf(garbage: Garbage): string {
  if (garbage.kind !== "vectors" || garbage.generation === undefined) return garbage.key;
  return `${garbage.key}@${garbage.generation}`;
}

function tableOf(garbage: Garbage): Pick<GarbageTable, "workspaceId" | "pack"> {
  const table = garbage.kind === "vectors" ? garbage.table : undefined;
  return { workspaceId: table?.workspaceId ?? null, pack: table?.pack ?? null };
}

function toGarbage({ kind, key, workspaceId, pack }: Selectable<GarbageTable>): Garbage {
  if (kind === "blob" || kind === "table") return { kind, key };
  if (kind === "parts") {
    const uploadKey = parseUploadKey(key);
    if (uploadKey === undefined) throw new Error(`garbage of kind ${kind} whose key is not that of an upload: ${key}`);
    return { kind, key: uploadKey };
  }
  const [id = "", generation] = key.split("@");
  const datasetId = parseDatasetId(id);
  if (datasetId === undefined) throw new Error(`garbage of kind ${kind} whose key is not that of a dataset: ${key}`);
  if (kind !== "vectors") return { kind, key: datasetId };
  const of = generation === undefined ? {} : { generation };
  const where = workspaceId === null || pack === null ? {} : { table: { workspaceId, pack } };
  return { kind, key: datasetId, ...of, ...where };
}

/**
 * Implements `GarbageStore.ownerless`. It runs in one transaction, because the transaction that inserts the owner of a
 * blob also takes the blob off the list.
 */
async function ownerless(trx: Kysely<Schema>, keys: readonly string[]): Promise<readonly string[]> {
  const left = new Set(keys);
  for (const batch of batches(keys)) {
    const owned = [
      await trx.selectFrom("garbage").select("key").where("kind", "=", "blob").where("key", "in", batch).execute(),
      await trx.selectFrom("renditions").select("key").where("key", "in", batch).execute(),
      await trx
        .selectFrom("features")
        .innerJoin("indices", (join) =>
          join
            .onRef("indices.datasetId", "=", "features.datasetId")
            .onRef("indices.generation", "=", "features.generation"),
        )
        .select("key")
        .where("key", "in", batch)
        .execute(),
      await trx.selectFrom("uploadParts").select("blobKey as key").where("blobKey", "in", batch).execute(),
    ];
    for (const { key } of owned.flat()) left.delete(key);
  }
  const ids = new Set(
    [...left].flatMap((key) => parseDatasetId(/^(?:originals|converted)\/([^./]+)/.exec(key)?.[1] ?? "") ?? []),
  );
  for (const batch of batches(ids)) {
    const datasets = await trx
      .selectFrom("datasets")
      .select(["id", "originalKey", "convertedKey"])
      .where("id", "in", batch)
      .execute();
    for (const dataset of datasets) {
      left.delete(originalKey(dataset));
      left.delete(convertedKey(dataset));
    }
  }
  return [...left];
}

interface TakenRows {
  /** Blobs to which the removed rows referred. */
  readonly blobs: readonly Garbage[];
  readonly isLast: boolean;
}

/** Removes up to one transaction's worth of rows. Call it in a transaction. */
function takeRows(trx: Kysely<Schema>, { kind, key }: RowGarbage): Promise<TakenRows> {
  return kind === "rows" ? takePages(trx, key) : takeParts(trx, key);
}

/** Tables with rows of a dataset, and the column that distinguishes those rows. */
const tables = [
  ["pageWords", "page"],
  ["pages", "page"],
  ["pageCounts", "block"],
  ["indexPages", "page"],
  ["features", "key"],
  ["renditions", "key"],
] as const;

async function takePages(trx: Kysely<Schema>, id: DatasetId): Promise<TakenRows> {
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

async function takeParts(trx: Kysely<Schema>, uploadKey: UploadKey): Promise<TakenRows> {
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
