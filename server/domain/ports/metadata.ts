import type { DatasetStore, ImportStore } from "./datasets.ts";
import type { FeatureStore } from "./features.ts";
import type { GarbageStore } from "./garbage.ts";
import type { IdempotencyStore, RateStore } from "./requests.ts";
import type { IndexTables } from "./index-tables.ts";
import type { JobStore } from "./jobs.ts";
import type { DeviceStore, IdentityStore, InvitationStore, MemberStore, SessionStore } from "./members.ts";
import type {
  AuditStore,
  KeyStore,
  OrganisationStore,
  PlanStore,
  SigningKeyStore,
  UsageStore,
  WorkspaceStore,
} from "./organisations.ts";
import type { IndexStore, PackStore } from "./packs.ts";
import type { PageStore, RenditionStore } from "./pages.ts";
import type { FetchStore, UploadStore } from "./uploads.ts";
import type { WebhookStore } from "./webhooks.ts";

/**
 * The metadata database. All kinds of database have the same schema, queries and contract suite. Every write is one
 * short transaction. Times are milliseconds since the epoch, UTC.
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
  readonly leaderLeases: LeaderLeaseStore;
  readonly rates: RateStore;
  readonly webhooks: WebhookStore;
  /** The time of the store's clock, which all processes that share the store use. */
  now(): Promise<number>;
  /** Throws if the database does not answer. */
  ping(): Promise<void>;
  /** Ends the leases of jobs and the leader leases of processes of this host that have died. */
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

/** Work that only one process at a time does among those that share the stores, such as maintaining the index. */
export type LeaderLeaseName =
  /** Maintains the index and the database, and removes data that is due for removal. */
  | "upkeep"
  /** Rotates the keys that sign links. */
  | "links";

interface HeldDuty {
  /** Number of requests for the work so far. */
  readonly requests: number;
}

/**
 * Leader leases record which process does which work. A lease expires by the store's clock. A process that was paused
 * may continue work whose lease another process has acquired meanwhile, so the work must do no harm if two do it.
 */
export interface LeaderLeaseStore {
  /** Acquires or renews the lease, for at most a minute. Undefined if another process holds it. */
  hold(name: LeaderLeaseName, holder: string, holdMs: number): Promise<HeldDuty | undefined>;
  /** Asks the current or the next holder to do the work once more. */
  request(name: LeaderLeaseName): Promise<void>;
  /** Ends all leader leases of a process that is stopping or dead. */
  release(holder: string): Promise<void>;
}
