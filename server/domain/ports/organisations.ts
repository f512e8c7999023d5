import type { AuditEvent } from "../audit/event.ts";
import type { KeyId, OrganisationId, WorkspaceId } from "../ids.ts";
import type { ApiKey, Organisation, SigningKey, Workspace } from "../workspaces/workspace.ts";
import type { Plan, PlanLimits } from "../plans/plan.ts";
import type { DailyUsage, Holdings, MonthlyRequests, RequestCount, StorageState } from "../usage/usage.ts";
import type { ListResult } from "../list.ts";

/** A new organisation with its first workspace and key, which callers need to reach it. */
export interface Founding {
  readonly organisation: Organisation;
  readonly workspace: Workspace;
  readonly key: ApiKey;
}

/** Every change logs its audit events in the same transaction. */
export interface OrganisationStore {
  /**
   * Returns false and creates nothing if the plan does not exist, or another organisation runs the service already.
   */
  create(founding: Founding, events: readonly AuditEvent[]): Promise<boolean>;
  get(id: OrganisationId): Promise<Organisation | undefined>;
  /** The organisation that runs the service, or undefined on a fresh store. */
  operator(): Promise<Organisation | undefined>;
  /** Oldest first. */
  list(): Promise<readonly Organisation[]>;
  /** Undefined fields stay as they are. "no plan": the plan does not exist, and nothing is changed. */
  update(
    id: OrganisationId,
    change: { readonly name: string | undefined; readonly plan: string | undefined },
    events: readonly AuditEvent[],
  ): Promise<Organisation | "no plan" | undefined>;
}

/** Every change logs its audit event in the same transaction. The plan `unlimited` exists from the start. */
export interface PlanStore {
  /** The limits of a workspace's plan; undefined if there is none. */
  ofWorkspace(workspaceId: WorkspaceId): Promise<PlanLimits | undefined>;
  get(name: string): Promise<Plan | undefined>;
  /** Ordered by name. */
  list(): Promise<readonly Plan[]>;
  /** Creates the plan, or replaces the limits of the one with that name. */
  set(plan: Plan, event: AuditEvent): Promise<void>;
  /** Deletes the plan unless an organisation is on it. */
  delete(name: string, event: AuditEvent): Promise<"deleted" | "in use" | "unknown">;
}

export interface WorkspaceStore {
  /**
   * Also logs the event. Returns false and creates nothing if the organisation already has a workspace with that
   * name.
   */
  create(workspace: Workspace, event: AuditEvent): Promise<boolean>;
  /** Finds a workspace by id or name, within the organisation. */
  find(organisationId: OrganisationId, idOrName: string): Promise<Workspace | undefined>;
  oldest(organisationId: OrganisationId): Promise<Workspace | undefined>;
  /** Oldest first. */
  list(organisationId: OrganisationId): Promise<readonly Workspace[]>;
}

/** Every change logs its audit event in the same transaction. */
export interface KeyStore {
  create(key: ApiKey, event: AuditEvent): Promise<void>;
  /** Includes revoked and expired keys. */
  get(id: KeyId): Promise<ApiKey | undefined>;
  /** Oldest first. */
  list(organisationId: OrganisationId, workspaceId?: WorkspaceId): Promise<readonly ApiKey[]>;
  /**
   * Returns the key afterwards; undefined if the organisation has no such key. A revoked key keeps its first
   * `revokedAt` and gets no second event.
   */
  revoke(organisationId: OrganisationId, id: KeyId, now: number, event: AuditEvent): Promise<ApiKey | undefined>;
  /**
   * Creates the successor and sets when the old key expires. False if that one is revoked or has a successor by
   * now.
   */
  rotate(id: KeyId, successor: ApiKey, oldExpiresAt: number, event: AuditEvent): Promise<boolean>;
  /** Called in batches; never moves `lastUsedAt` back. */
  touch(uses: ReadonlyMap<KeyId, number>): Promise<void>;
}

/** At most one key is not superseded. */
export interface SigningKeyStore {
  /** Newest first. */
  list(): Promise<readonly SigningKey[]>;
  get(id: string): Promise<SigningKey | undefined>;
  /** The key that is not superseded. */
  current(): Promise<SigningKey | undefined>;
  /**
   * Lets the successor sign in place of the current key, as of its creation, and logs the event. Returns false and
   * does nothing if the current key is no longer the one named (undefined for none).
   */
  rotate(
    successor: SigningKey,
    { replaces, event }: { readonly replaces: string | undefined; readonly event: AuditEvent | undefined },
  ): Promise<boolean>;
  /** Removes all keys and lets the successor sign. */
  replaceAll(successor: SigningKey, event: AuditEvent): Promise<void>;
  /** Removes superseded keys by the time when they were superseded or created; returns their number. */
  prune(before: { readonly supersededBefore: number; readonly createdBefore: number }): Promise<number>;
}

/**
 * Storage and requests, counted in the transactions that change them, so that reading the counts reads no rows of
 * documents.
 */
export interface UsageStore {
  ofWorkspace(workspaceId: WorkspaceId): Promise<Holdings>;
  /** Computes the same as `ofWorkspace` from the rows themselves. It reads all of them: for tests and checks. */
  recount(workspaceId: WorkspaceId): Promise<Holdings>;
  /** Storage of the organisation that owns the workspace. */
  storage(workspaceId: WorkspaceId): Promise<StorageState>;
  /** Calls by month (`2026-11`, UTC), beginning with a month; oldest first, months without calls left out. */
  requestsSince(workspaceId: WorkspaceId, month: string): Promise<readonly MonthlyRequests[]>;
  /** Adds calls to the counts. */
  addRequests(counts: readonly RequestCount[]): Promise<void>;
  /**
   * Records what every workspace stores as the value of a day (`2026-11-22`, UTC), and deletes the days before
   * `oldestKept`.
   */
  noteDay(day: string, oldestKept: string): Promise<void>;
  /** The recorded days from the first (`2026-11-22`, UTC) to before the last; oldest first. */
  history(
    workspaceId: WorkspaceId,
    days: { readonly from: string; readonly before: string },
  ): Promise<readonly DailyUsage[]>;
}

export interface AuditQuery {
  readonly organisationId: OrganisationId;
  readonly offset: number;
  readonly limit: number;
  /** Prefix of the action; empty for any action. */
  readonly action: string;
  /** Actor as in `AuditEvent`; undefined for any actor. */
  readonly actor?: string | undefined;
  /** Inclusive. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
}

/** Reads the audit log. The stores whose acts it records write it; entries are kept for good. */
export interface AuditStore {
  /** Newest first. */
  list(query: AuditQuery): Promise<ListResult<AuditEvent>>;
}
