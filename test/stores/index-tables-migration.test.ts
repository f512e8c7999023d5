import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { claimNext, createDataset, createTenant, leaseMs, makePage, morning } from "./testing/records.ts";

const pack = { id: "one@1.0.0", model: "one", manifest: "{}" };

/** Takes the migration back. */
const without = `delete from "kysely_migration" where "name" = '0036-index-tables';
  drop table "indexTables";
  drop index "featuresByTable";
  drop index "garbageByWorkspace";
  alter table "features" drop column "table";
  alter table "garbage" drop column "workspaceId";
  alter table "garbage" drop column "pack";`;

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-index-tables-"));
});
afterEach(() => rm(dataDir, { recursive: true }));

/** Changes the database as an earlier version has left it. */
function change(statements: string): void {
  const database = new DatabaseSync(join(dataDir, "metadata.sqlite"));
  database.exec(statements);
  database.close();
}

const open = () => openMetadata({ url: undefined, dataDir, clock: () => morning });

test("an index that an earlier version has made is to be filled again, and one in the making keeps what has features", async () => {
  const before = await open();
  await before.packs.use(pack, morning);
  const { workspaceId } = await createTenant(before);
  const lists: Record<string, string> = { null: "", "'said'": "", "'features'": "", "'all'": "" };
  for (const rebuild of Object.keys(lists)) {
    const { dataset } = await createDataset(before, workspaceId, { itemCount: 1 });
    const { lease } = await claimNext(before, "jobs", morning);
    await before.pages.save(lease, dataset.id, [makePage(1)], morning);
    const index = await before.indices.begin(lease, dataset, true, morning);
    const part = { key: `features/${rebuild}`, pages: [1], bytes: 1, sha256: "ab", table: "" };
    const listed = { part: { ...part, generation: index?.generation ?? "" } };
    await before.pages.markEmbedded(lease, dataset.id, [1], morning, listed);
    await before.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, morning);
    lists[rebuild] = dataset.id;
  }
  await before.packs.use({ ...pack, id: "two@1.0.0" }, morning);
  const making = [];
  for (const key of [undefined, "features/new"]) {
    const claimed = await before.indices.claim("worker", leaseMs, morning);
    if (claimed === undefined) throw new Error("no dataset changes");
    const part = { pages: [1], bytes: 1, sha256: "ab", table: "", generation: claimed.generation };
    const marks = [{ page: 1, failure: null }];
    await before.indices.mark(claimed.lease, marks, morning, key === undefined ? undefined : { ...part, key });
    making.push(claimed.lease);
  }
  await before.close();
  const states = Object.entries(lists).map(
    ([rebuild, id]) =>
      `update "indices" set "rebuild" = ${rebuild}, "claimToken" = 'held' where "datasetId" = '${id}' and "role" = 'served';`,
  );
  change([...states, without].join("\n"));

  const after = await open();
  try {
    const database = new DatabaseSync(join(dataDir, "metadata.sqlite"), { readOnly: true });
    const query = `select "rebuild", "claimToken" from "indices" where "datasetId" = ? and "role" = 'served'`;
    const found = Object.values(lists).map((id) => database.prepare(query).get(id));
    database.close();
    expect(found).toEqual([
      { rebuild: "missing", claimToken: null },
      { rebuild: "missing", claimToken: null },
      { rebuild: "features", claimToken: "held" },
      { rebuild: "all", claimToken: "held" },
    ]);
    const unmarked = making.map(({ datasetId, pack: made }) => after.indices.unmarked(datasetId, made));
    expect(await Promise.all(unmarked)).toEqual([[1], []]);
  } finally {
    await after.close();
  }
});
