import pg from "pg";
import { makeStock, type Stock, type StockRows, type StockSize } from "../../test/fixtures/metadata-stock.ts";

/** Rows of one statement and transaction: counts of triggers are folded when a transaction has ended. */
const rowsPerInsert = 500;

/** Does the same as `fillStock`, in a PostgreSQL database that has its tables. */
export async function fillPostgres(
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
