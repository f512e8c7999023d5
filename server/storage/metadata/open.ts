import { Kysely, sql } from "kysely";
import type { Clock } from "../../domain/clock.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import { type Reserve } from "../reserve.ts";
import { auditStore } from "./audit.ts";
import { datasetStore } from "./datasets.ts";
import { openEngine } from "./engine.ts";
import { expireDead } from "./expire.ts";
import { fetchStore } from "./fetches.ts";
import { garbageStore } from "./garbage.ts";
import { idempotencyStore } from "./idempotency.ts";
import { indexStore } from "./indices.ts";
import { invitationStore } from "./invitations.ts";
import { jobStore } from "./jobs.ts";
import { keyStore } from "./keys.ts";
import { memberStore } from "./members.ts";
import { migrate } from "./migrate.ts";
import { workingOnFullDisk } from "./on-full-disk.ts";
import { organisationStore } from "./organisations.ts";
import { packStore } from "./packs.ts";
import { pageStore } from "./pages.ts";
import { planStore } from "./plans.ts";
import { reclaimSpace } from "./reclaim.ts";
import { renditionStore } from "./renditions.ts";
import type { Schema } from "./schema.ts";
import { signingKeyStore } from "./signing-keys.ts";
import { uploadStore } from "./uploads.ts";
import { usageStore } from "./usage.ts";
import { workspaceStore } from "./workspaces.ts";

export interface MetadataOptions {
  /** `--database-url`; undefined: SQLite in the data folder. */
  readonly url: string | undefined;
  readonly dataDir: string;
  /** The clock of an embedded database; the host's by default. */
  readonly clock?: Clock;
  /** What deletes may use on a full disk; undefined: they fail there. */
  readonly reserve?: Reserve;
}

/** Opens the metadata database and brings its tables up to date. Several processes may have it open. */
export async function openMetadata({ url, dataDir, clock = Date.now, reserve }: MetadataOptions): Promise<Metadata> {
  const engine = openEngine(url, dataDir, clock);
  const db = new Kysely<Schema>({ dialect: engine.dialect });
  try {
    await migrate(db, engine, `the data folder ${dataDir}`);
  } catch (cause) {
    await db.destroy();
    throw cause;
  }
  const metadata: Metadata = {
    organisations: organisationStore(db),
    plans: planStore(db),
    members: memberStore(db),
    invitations: invitationStore(db),
    audit: auditStore(db),
    workspaces: workspaceStore(db),
    keys: keyStore(db),
    signingKeys: signingKeyStore(db),
    datasets: datasetStore(db),
    uploads: uploadStore(db),
    fetches: fetchStore(db),
    jobs: jobStore(db, engine),
    pages: pageStore(db),
    renditions: renditionStore(db),
    usage: usageStore(db),
    garbage: garbageStore(db),
    idempotency: idempotencyStore(db, engine),
    packs: packStore(db),
    indices: indexStore(db, engine),
    async ping() {
      await sql`select 1`.execute(db);
    },
    expireDead: () => expireDead(db),
    reclaim: (signal) => reclaimSpace(db, engine, signal),
    close: () => db.destroy(),
  };
  if (reserve === undefined) return metadata;
  return workingOnFullDisk(metadata, {
    reserve,
    // With the connection to itself: in the middle of a transaction it could not be done.
    foldLog: () => db.connection().execute(async () => void engine.foldLog()),
  });
}
