import type { AuditStore } from "./audit.ts";
import type { DatasetStore, ImportStore } from "./datasets.ts";
import type { DeviceStore } from "./devices.ts";
import type { DutyStore } from "./duties.ts";
import type { FeatureStore } from "./features.ts";
import type { GarbageStore } from "./garbage.ts";
import type { IdempotencyStore } from "./idempotency.ts";
import type { IdentityStore } from "./identities.ts";
import type { IndexTables } from "./index-tables.ts";
import type { JobStore } from "./jobs.ts";
import type { InvitationStore, MemberStore } from "./members.ts";
import type { OrganisationStore, PlanStore } from "./organisations.ts";
import type { IndexStore, PackStore } from "./packs.ts";
import type { PageStore } from "./pages.ts";
import type { RateStore } from "./rates.ts";
import type { RenditionStore } from "./renditions.ts";
import type { FetchStore, UploadStore } from "./uploads.ts";
import type { SessionStore } from "./sessions.ts";
import type { UsageStore } from "./usage.ts";
import type { WebhookStore } from "./webhooks.ts";
import type { KeyStore, SigningKeyStore, WorkspaceStore } from "./workspaces.ts";

/**
 * The metadata database. One schema, one set of queries and one contract suite for every database. Every write is
 * one short transaction. Times are milliseconds since the epoch, UTC.
 */
export interface Metadata {
  readonly organisations: OrganisationStore;
  readonly plans: PlanStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly sessions: SessionStore;
  readonly devices: DeviceStore;
  readonly identities: IdentityStore;
  readonly audit: AuditStore;
  readonly workspaces: WorkspaceStore;
  readonly keys: KeyStore;
  readonly signingKeys: SigningKeyStore;
  readonly datasets: DatasetStore;
  readonly imports: ImportStore;
  readonly uploads: UploadStore;
  readonly fetches: FetchStore;
  readonly jobs: JobStore;
  readonly pages: PageStore;
  readonly renditions: RenditionStore;
  readonly usage: UsageStore;
  readonly garbage: GarbageStore;
  readonly idempotency: IdempotencyStore;
  readonly packs: PackStore;
  readonly indices: IndexStore;
  readonly features: FeatureStore;
  readonly indexTables: IndexTables;
  readonly duties: DutyStore;
  readonly rates: RateStore;
  readonly webhooks: WebhookStore;
  /** The time of the store's clock, which all processes that share the store use. */
  now(): Promise<number>;
  /** Throws if the database does not answer. */
  ping(): Promise<void>;
  /** Ends the leases and duties of processes of this host that have died. */
  expireDead(): Promise<void>;
  /**
   * Notifies other processes that there is work, where the store can. A notification may get lost: they also poll
   * for work, only less often.
   */
  announceWork(): void;
  /** Calls back when any process has announced work, until the returned function is called. */
  onWork(listener: () => void): () => void;
  /** Returns disk space of removed rows to the system, in the background; ends early when the signal fires. */
  reclaim(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
