import { sql } from "kysely";
import type { Clock } from "../../domain/clock.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import type { BallastFile } from "../ballast-file.ts";
import { auditStore } from "./tenants/audit.ts";
import { datasetStore } from "./documents/datasets.ts";
import { deviceStore } from "./tenants/devices.ts";
import { openRows, type RowsPlace } from "./open-rows.ts";
import { expireDead } from "./processes/expire.ts";
import { featureStore } from "./indices/features.ts";
import { fetchStore } from "./queue/fetches.ts";
import { garbageStore } from "./documents/garbage.ts";
import { idempotencyStore } from "./tenants/idempotency.ts";
import { identityStore } from "./tenants/identities.ts";
import { importStore } from "./documents/imports.ts";
import { indexStore } from "./indices/indices.ts";
import { indexTables } from "./indices/index-tables.ts";
import { invitationStore, memberStore } from "./tenants/members.ts";
import { jobStore } from "./queue/jobs.ts";
import { keyStore } from "./tenants/keys.ts";
import { workingOnFullDisk } from "./on-full-disk.ts";
import { organisationStore, planStore, workspaceStore } from "./tenants/organisations.ts";
import { packStore } from "./indices/packs.ts";
import { pageStore } from "./documents/pages.ts";
import { reclaimSpace } from "./engine.ts";
import { renditionStore } from "./documents/renditions.ts";
import { sessionStore } from "./tenants/sessions.ts";
import { signingKeyStore } from "./tenants/signing-keys.ts";
import { uploadStore } from "./documents/uploads.ts";
import { usageStore } from "./tenants/usage.ts";
import { leaderLeaseStore } from "./processes/leader-leases.ts";
import { rateStore } from "./processes/rates.ts";
import { webhookStore } from "./webhooks/webhooks.ts";

export interface MetadataOptions extends RowsPlace {
  /** Replaces the store's clock; set by tests. */
  readonly clock?: Clock;
  /** Maximum number of connections of this process to a database server. */
  readonly connections?: number;
  /** Disk space that deletes may use on a full disk; if undefined, they fail there. */
  readonly reserve?: BallastFile;
}

/** A database server of moderate size allows this many connections for each of about ten processes. */
const defaultConnections = 10;

/** Opens the metadata database and brings its tables up to date. Several processes may have it open. */
export async function openMetadata({
  connections = defaultConnections,
  reserve,
  ...choice
}: MetadataOptions): Promise<Metadata> {
  const { db, engine, close } = await openRows({ ...choice, connections });
  const metadata: Metadata = {
    organisations: organisationStore(db),
    plans: planStore(db),
    members: memberStore(db),
    invitations: invitationStore(db),
    sessions: sessionStore(db),
    devices: deviceStore(db),
    identities: identityStore(db),
    audit: auditStore(db),
    workspaces: workspaceStore(db),
    keys: keyStore(db, engine),
    signingKeys: signingKeyStore(db, engine),
    datasets: datasetStore(db, engine),
    imports: importStore(db),
    uploads: uploadStore(db),
    fetches: fetchStore(db),
    jobs: jobStore(db, engine),
    pages: pageStore(db),
    renditions: renditionStore(db),
    usage: usageStore(db),
    garbage: garbageStore(db),
    idempotency: idempotencyStore(db, engine),
    packs: packStore(db, engine),
    indices: indexStore(db, engine),
    features: featureStore(db),
    indexTables: indexTables(db, engine),
    leaderLeases: leaderLeaseStore(db, engine),
    rates: rateStore(db, engine),
    webhooks: webhookStore(db, engine),
    now: () => engine.now(db),
    async ping() {
      await sql`select 1`.execute(db);
    },
    expireDead: () => expireDead(db),
    reclaim: (signal) => reclaimSpace(db, engine, signal),
    announceWork: engine.announceWork,
    onWork: engine.onWork,
    close,
  };
  if (reserve === undefined) return metadata;
  return workingOnFullDisk(metadata, {
    reserve,
    // Takes the connection for itself, because the log cannot be folded during a transaction.
    foldLog: () => db.connection().execute(async () => void engine.foldLog()),
  });
}
