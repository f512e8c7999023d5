import pg from "pg";
import { newFounding } from "../../server/domain/organisations/found.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import {
  fillStock,
  makeStock,
  type Stock,
  type StockRows,
  type StockSize,
} from "../../test/fixtures/metadata-stock.ts";
import type { Report } from "../measuring/report.ts";

const size: StockSize = {
  datasets: 200_000,
  pagesOfLarge: 100_000,
  failedOfLarge: 100,
  pagesOfOthers: 800_000,
  queued: 50_000,
  otherWorkspaces: 1_000,
  finishedToday: 10_000,
  parts: 10_000,
  renditions: 100_000,
};

/** The place for the rows: SQLite in a folder, or an empty PostgreSQL database. */
export type Place = { readonly dataDir: string } | { readonly url: string };

/** Returns a database filled with the rows. */
export async function stockUp(place: Place, report: Report): Promise<{ store: Metadata; stock: Stock; now: number }> {
  const now = Date.now();
  const store = await openMetadata({ url: undefined, dataDir: "", ...place });
  const { organisation, workspace, key } = newFounding(
    { name: "Bench", plan: "unlimited", isOperator: true, keyName: "first" },
    now,
  );
  const { key: _secret, ...row } = key;
  await store.organisations.create({ organisation, workspace, key: row }, []);
  const since = performance.now();
  const tenant = { organisationId: organisation.id, workspaceId: workspace.id };
  const stock =
    "url" in place ? await fillPostgres(place.url, tenant, size, now) : fillStock(place.dataDir, tenant, size, now);
  report.progress(`filled in ${((performance.now() - since) / 1000).toFixed(0)} s`);
  // Workers do this regularly.
  await store.jobs.unlist(now - 25 * 3_600_000);
  return { store, stock, now };
}

/** Rows per statement, each its own transaction: the counts that triggers record are folded when a transaction has ended. */
const rowsPerInsert = 500;

/** Does the same as `fillStock`, in a PostgreSQL database that has its tables. */
async function fillPostgres(
  url: string,
  tenant: Pick<Stock, "organisationId" | "workspaceId">,
  size: StockSize,
  now: number,
): Promise<Stock> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("set synchronous_commit = off");
    const { stock, tables } = makeStock(tenant, size, now);
    for (const rows of tables) await insertRows(client, rows);
    // As autovacuum leaves them. Otherwise index scans also read rows that are not known to be visible to all.
    await client.query("vacuum (analyze)");
    return stock;
  } finally {
    await client.end();
  }
}

async function insertRows(client: pg.Client, { table, rows }: StockRows): Promise<void> {
  let batch: (readonly unknown[])[] = [];
  let columns: readonly string[] = [];
  const write = async (): Promise<void> => {
    if (batch.length === 0) return;
    const places = batch.map(
      (row, at) => `(${row.map((_value, column) => `$${at * columns.length + column + 1}`).join(", ")})`,
    );
    const names = columns.map((name) => `"${name}"`).join(", ");
    await client.query(`insert into "${table}" (${names}) values ${places.join(", ")}`, batch.flat());
    batch = [];
  };
  for (const row of rows) {
    columns = Object.keys(row);
    batch.push(Object.values(row));
    if (batch.length === rowsPerInsert) await write();
  }
  await write();
}
