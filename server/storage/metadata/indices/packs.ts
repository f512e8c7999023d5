import { sql, type Kysely } from "kysely";
import type { DatasetId, OrganisationId, WorkspaceId } from "../../../domain/ids.ts";
import type { ChangeProgress, KnownPack, PackInScope, PackStore } from "../../../domain/ports/packs.ts";
import { enterEvents } from "../tenants/audit.ts";
import { unheld } from "../queue/claims.ts";
import type { Engine } from "../engine.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import { unlessWritten } from "../unless-written.ts";

/** The pack of an index that was made by a version of drs that did not record packs. */
const unnamed = "";

/** Whether the tables of a pack are being removed; `again` if they have been written to since. */
const leaving = { not: 0, once: 1, again: 2 } as const;

/** A pack with an unknown model: only its id is known. */
const unknown = { model: "", manifest: "", isInUse: 0, isLeaving: leaving.not, usedAt: 0 } as const;

/**
 * Maximum number of garbage entries that are searched for removed datasets, so that a search does not slow down with
 * the amount of garbage.
 */
const maxGarbage = 500;

/** Maximum number of failures that are reported; enough to see the cause. */
const shownFailures = 100;

export function packStore(db: Kysely<Schema>, engine: Engine): PackStore {
  return {
    list: unlessWritten(engine, async () => {
      const rows = await db.selectFrom("packs").selectAll().orderBy("isInUse", "desc").orderBy("id").execute();
      return rows.map(({ id, model, manifest, isInUse }) => ({ id, model, manifest, isInUse: isInUse === 1 }));
    }),

    use: (pack, now, event) =>
      inTransaction(db, async (trx) => {
        if (!(await putToUse(trx, pack, now))) return "leaving";
        if (event !== undefined) await enterEvents(trx, [event]);
        return "in use";
      }),

    async hasUnnamed() {
      const found = await db.selectFrom("indices").select("pack").where("pack", "=", unnamed).limit(1).execute();
      return found.length > 0;
    },

    nameUnnamed: (pack) =>
      inTransaction(db, async (trx) => {
        await trx.updateTable("indices").set({ pack }).where("pack", "=", unnamed).execute();
        await trx
          .insertInto("packs")
          .values({ ...unknown, id: pack })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }),

    inWorkspace: unlessWritten(engine, (workspaceId) => packsInWorkspace(db, workspaceId)),

    async ofDataset(datasetId) {
      return db
        .selectFrom("indices")
        .select(["pack", "generation"])
        .where("datasetId", "=", datasetId)
        .where("role", "=", "served")
        .executeTakeFirst();
    },

    progress: (organisationId) => progress(db, organisationId),

    beginRetirement: () => inTransaction(db, beginRetirement),

    forget: (pack) =>
      inTransaction(db, async (trx) => {
        await trx.deleteFrom("packs").where("id", "=", pack).where("isLeaving", "=", leaving.once).execute();
        await trx
          .updateTable("packs")
          .set({ isLeaving: leaving.not })
          .where("id", "=", pack)
          .where("isLeaving", "=", leaving.again)
          .execute();
      }),

    async retryRetirement(pack) {
      await db
        .insertInto("packs")
        .values({ ...unknown, id: pack })
        .onConflict((conflict) =>
          conflict.column("id").doUpdateSet({ isLeaving: leaving.again }).where("packs.isLeaving", "=", leaving.once),
        )
        .execute();
    },
  };
}

/** Whether a dataset has an index of the pack. Checked again after the row of the pack is locked. */
async function isIndexed(trx: Kysely<Schema>, pack: string): Promise<boolean> {
  const index = await trx.selectFrom("indices").select("pack").where("pack", "=", pack).limit(1).executeTakeFirst();
  return index !== undefined;
}

/** Implements `PackStore.beginRetirement`. */
async function beginRetirement(trx: Kysely<Schema>): Promise<string | undefined> {
  const found = await trx
    .selectFrom("packs")
    .select("id")
    .where("isInUse", "=", 0)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("indices").select("pack").whereRef("indices.pack", "=", "packs.id"))),
    )
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
  if (found === undefined || (await isIndexed(trx, found.id))) return undefined;
  await trx.updateTable("packs").set({ isLeaving: leaving.once }).where("id", "=", found.id).execute();
  return found.id;
}

/** Puts a pack to use; false if its tables are being removed. */
async function putToUse(trx: Kysely<Schema>, pack: Omit<KnownPack, "isInUse">, now: number): Promise<boolean> {
  const { id, model, manifest } = pack;
  const packs = await trx.selectFrom("packs").select(["id", "isLeaving"]).orderBy("id").forUpdate().execute();
  if ((packs.find((known) => known.id === id)?.isLeaving ?? leaving.not) !== leaving.not) return false;
  await trx.updateTable("packs").set({ isInUse: 0 }).where("isInUse", "=", 1).execute();
  const columns = { model, manifest, isInUse: 1, usedAt: now };
  await trx
    .insertInto("packs")
    .values({ id, ...columns, isLeaving: leaving.not })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(columns))
    .execute();
  // This ends claims on other packs. Their rows, including those that workers may still write, are garbage.
  await trx
    .updateTable("indices")
    .set({ ...unheld, role: "stale", failure: null, removeAt: now, retryAt: null, tries: 0 })
    .where("role", "=", "making")
    .where("pack", "!=", id)
    .execute();
  await trx.updateTable("indices").set({ failure: null }).where("role", "=", "making").where("pack", "=", id).execute();
  await trx.deleteFrom("indexPages").where("pack", "!=", id).execute();
  return true;
}

/**
 * Lists the packs of a workspace. One statement sees a dataset that is changing its pack either before or after the
 * change.
 */
async function packsInWorkspace(db: Kysely<Schema>, workspaceId: WorkspaceId): Promise<readonly PackInScope[]> {
  const rows = await db
    .selectFrom("packs")
    .select(["packs.id as pack", sql<DatasetId | null>`null`.as("without")])
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("indices")
          .select("indices.pack")
          .whereRef("indices.pack", "=", "packs.id")
          .where("role", "=", "served")
          .where("workspaceId", "=", workspaceId),
      ),
    )
    .unionAll(
      db
        .selectFrom("indices")
        .select(["pack", "datasetId as without"])
        .where("workspaceId", "=", workspaceId)
        .where("role", "<>", "served"),
    )
    // Pages of pending versions are left out, because they would displace others among the best.
    .unionAll(
      db
        .selectFrom("datasets")
        .innerJoin("indices", "indices.datasetId", "datasets.id")
        .select(["indices.pack", "datasets.id as without"])
        .where("datasets.workspaceId", "=", workspaceId)
        .where(sql<boolean>`"datasets"."type" = 'pending'`)
        .where("role", "=", "served"),
    )
    // Pages of deleted datasets would do the same until they are removed, and would count as competitors of the others.
    .unionAll(
      db
        .selectFrom(
          db
            .selectFrom("garbage")
            // The id in `DATASET@GENERATION`; ids of datasets all have the same length.
            .select([sql<DatasetId>`substr("key", 1, 29)`.as("datasetId"), sql<string>`"pack"`.as("pack")])
            .where("workspaceId", "=", workspaceId)
            .where("kind", "=", "vectors")
            .limit(maxGarbage)
            .as("gone"),
        )
        .select(["gone.pack", "gone.datasetId as without"])
        // If the dataset has another generation, it is not gone.
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(selectFrom("indices").select("indices.pack").whereRef("indices.datasetId", "=", "gone.datasetId")),
          ),
        ),
    )
    .execute();
  const asked = rows.filter(({ without }) => without === null).map(({ pack }) => pack);
  return asked.map((pack) => ({
    pack,
    without: rows.flatMap((row) => (row.pack === pack && row.without !== null ? [row.without] : [])),
  }));
}

async function progress(db: Kysely<Schema>, organisationId: OrganisationId | undefined): Promise<ChangeProgress> {
  const making = db
    .selectFrom("indices")
    .innerJoin("workspaces", "workspaces.id", "indices.workspaceId")
    // The condition matches that of the partial index of the few indices that are not served.
    .where(sql<boolean>`"role" <> 'served'`)
    .where("role", "=", "making")
    .$if(organisationId !== undefined, (query) => query.where("organisationId", "=", organisationId ?? null));
  const inUse = await db.selectFrom("packs").select("id").where("isInUse", "=", 1).executeTakeFirst();
  const counts = await db
    .selectFrom("workspaces")
    .innerJoin("tallies", "tallies.owner", "workspaces.id")
    .$if(organisationId !== undefined, (query) => query.where("organisationId", "=", organisationId ?? null))
    .select(({ fn }) => ["tallies.kind", "tallies.name as pack", fn.sum<number | string>("total").as("count")])
    .where("tallies.kind", "in", ["served", "pages"])
    .groupBy(["tallies.kind", "tallies.name"])
    .execute();
  const pagesIn = new Map(counts.flatMap(({ kind, pack, count }) => (kind === "pages" ? [[pack, count]] : [])));
  const byPack = counts
    .filter(({ kind, count }) => kind === "served" && Number(count) > 0)
    .map(({ pack, count }) => ({ pack, datasets: count, pages: pagesIn.get(pack) ?? 0 }));
  const { marked } = await making
    .innerJoin("indexPages", (join) =>
      join.onRef("indexPages.datasetId", "=", "indices.datasetId").onRef("indexPages.pack", "=", "indices.pack"),
    )
    .select(({ fn }) => fn.countAll<number | string>().as("marked"))
    .where(({ eb, or }) => or([eb("embeddedAt", "is not", null), eb("indexPages.failure", "is not", null)]))
    .executeTakeFirstOrThrow();
  const failed = making.where("indices.failure", "is not", null);
  const { total } = await failed
    .select(({ fn }) => fn.countAll<number | string>().as("total"))
    .executeTakeFirstOrThrow();
  const failures = await failed
    .select(["datasetId", "indices.failure as reason"])
    .orderBy("datasetId")
    .limit(shownFailures)
    .execute();
  const done = byPack.find(({ pack }) => pack === inUse?.id);
  return {
    datasetsTotal: byPack.reduce((sum, { datasets }) => sum + Number(datasets), 0),
    datasetsDone: Number(done?.datasets ?? 0),
    pagesTotal: byPack.reduce((sum, { pages }) => sum + Number(pages), 0),
    pagesDone: Number(done?.pages ?? 0) + Number(marked),
    datasetsByPack: new Map(byPack.map(({ pack, datasets }) => [pack, Number(datasets)])),
    failures: failures.map(({ datasetId, reason }) => ({ datasetId, reason: reason ?? "" })),
    failed: Number(total),
  };
}
