import type { ExpressionBuilder, Kysely, Selectable } from "kysely";
import { type DatasetId, parseDatasetId, parseUploadKey } from "../../../domain/ids.ts";
import type { Garbage, GarbageStore } from "../../../domain/ports/garbage.ts";
import type { Lease } from "../../../domain/ports/jobs.ts";
import { batches, byKey } from "../batches.ts";
import { ownerless } from "./ownerless.ts";
import { takeRows } from "./remove-rows.ts";
import type { Schema } from "../schema.ts";
import { againIfUndone, inTransaction } from "../transaction.ts";
import type { GarbageTable } from "../tables/books.ts";

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
        // One at a time: what another takes would be counted as taken by this one.
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

/** Puts things on the list; the time given last counts. */
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

/** Takes a blob off the list: a row refers to it from now on. */
export const keepBlob = (db: Kysely<Schema>, key: string): Promise<void> => offList(db, { kind: "blob", key });

/** Takes pages and vectors of a dataset off the list that were put before it. */
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

/** `DATASET@GENERATION` where only the vectors of one are meant. */
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
    if (uploadKey === undefined) throw new Error(`garbage of kind ${kind} with a key that is no upload: ${key}`);
    return { kind, key: uploadKey };
  }
  const [id = "", generation] = key.split("@");
  const datasetId = parseDatasetId(id);
  if (datasetId === undefined) throw new Error(`garbage of kind ${kind} with a key that is no dataset: ${key}`);
  if (kind !== "vectors") return { kind, key: datasetId };
  const of = generation === undefined ? {} : { generation };
  const where = workspaceId === null || pack === null ? {} : { table: { workspaceId, pack } };
  return { kind, key: datasetId, ...of, ...where };
}
