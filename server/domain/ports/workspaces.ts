import type { AuditEvent } from "../audit/event.ts";
import type { KeyId, OrganisationId, WorkspaceId } from "../ids.ts";
import type { ApiKey, SigningKey, Workspace } from "../workspaces/workspace.ts";

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
