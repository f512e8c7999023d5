import type { Kysely } from "kysely";
import type { SigningKeyStore } from "../../../domain/ports/organisations.ts";
import type { SigningKey } from "../../../domain/workspaces/workspace.ts";
import { enterEvents } from "./audit.ts";
import type { Engine } from "../engine.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import { unlessWritten } from "../unless-written.ts";

export function signingKeyStore(db: Kysely<Schema>, engine: Engine): SigningKeyStore {
  return {
    list: () => db.selectFrom("signingKeys").selectAll().orderBy("createdAt", "desc").orderBy("id", "desc").execute(),

    get: (id) => db.selectFrom("signingKeys").selectAll().where("id", "=", id).executeTakeFirst(),

    current: unlessWritten(engine, () => newest(db).executeTakeFirst()),

    rotate: (successor, { replaces, event }) =>
      serialized(db, async (trx) => {
        const current = await newest(trx).executeTakeFirst();
        if (current?.id !== replaces) return false;
        await trx
          .updateTable("signingKeys")
          .set({ supersededAt: successor.createdAt })
          .where("supersededAt", "is", null)
          .execute();
        await insert(trx, successor);
        if (event !== undefined) await enterEvents(trx, [event]);
        return true;
      }),

    replaceAll: (successor, event) =>
      serialized(db, async (trx) => {
        await trx.deleteFrom("signingKeys").execute();
        await insert(trx, successor);
        await enterEvents(trx, [event]);
      }),

    async prune({ supersededBefore, createdBefore }) {
      const { numDeletedRows } = await db
        .deleteFrom("signingKeys")
        .where("supersededAt", "is not", null)
        .where(({ eb, or }) => or([eb("supersededAt", "<", supersededBefore), eb("createdAt", "<", createdBefore)]))
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}

/**
 * Runs work that decides which key signs. It is serializable, because there is no row to lock before the first key
 * exists.
 */
const serialized = <Result>(db: Kysely<Schema>, work: (trx: Kysely<Schema>) => Promise<Result>): Promise<Result> =>
  inTransaction(db, work, "serializable");

function newest(db: Kysely<Schema>) {
  return db
    .selectFrom("signingKeys")
    .selectAll()
    .where("supersededAt", "is", null)
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .limit(1);
}

async function insert(trx: Kysely<Schema>, { id, secret, createdAt }: SigningKey): Promise<void> {
  await trx.insertInto("signingKeys").values({ id, secret, createdAt, supersededAt: null }).execute();
}
