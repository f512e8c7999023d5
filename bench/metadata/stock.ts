import { newFounding } from "../../server/domain/organisations/found.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { fillStock, type Stock, type StockSize } from "../../test/fixtures/metadata-stock.ts";
import { fillPostgres } from "./fill-postgres.ts";
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
  // As workers do regularly.
  await store.jobs.unlist(now - 25 * 3_600_000);
  return { store, stock, now };
}
