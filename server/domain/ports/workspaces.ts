import type { AuditEvent } from "../audit/event.ts";
import type { KeyId, OrganisationId, WorkspaceId } from "../ids.ts";
import type { ApiKey, SigningKey, Workspace } from "../workspaces/workspace.ts";

export interface WorkspaceStore {
  /** Enters the event as well; false, and nothing entered, if the organisation already has a workspace of that name. */
  create(workspace: Workspace, event: AuditEvent): Promise<boolean>;
  /** By id or by name, within the organisation. */
  find(organisationId: OrganisationId, idOrName: string): Promise<Workspace | undefined>;
  oldest(organisationId: OrganisationId): Promise<Workspace | undefined>;
  /** Oldest first. */
  list(organisationId: OrganisationId): Promise<readonly Workspace[]>;
}

/** Every change enters its audit event in the same transaction. */
export interface KeyStore {
  create(key: ApiKey, event: AuditEvent): Promise<void>;
  /** Also a revoked or expired one. */
  get(id: KeyId): Promise<ApiKey | undefined>;
  /** Oldest first. */
  list(organisationId: OrganisationId, workspaceId?: WorkspaceId): Promise<readonly ApiKey[]>;
  /**
   * The key as it then stands; undefined if the organisation has no such key. A revoked key keeps its first `revokedAt`
   * and gets no second event.
   */
  revoke(organisationId: OrganisationId, id: KeyId, now: number, event: AuditEvent): Promise<ApiKey | undefined>;
  /** Creates the successor and sets when the old key expires. False: that one is revoked or has a successor by now. */
  rotate(id: KeyId, successor: ApiKey, oldExpiresAt: number, event: AuditEvent): Promise<boolean>;
  /** Written in batches; never moves `lastUsedAt` back. */
  touch(uses: ReadonlyMap<KeyId, number>): Promise<void>;
}

/** At most one key is not superseded. */
export interface SigningKeyStore {
  /** Newest first. */
  list(): Promise<readonly SigningKey[]>;
  get(id: string): Promise<SigningKey | undefined>;
  /** The one that is not superseded. */
  current(): Promise<SigningKey | undefined>;
  /**
   * Lets the successor sign in place of the key that does, as of its creation, and enters the event. False, and nothing
   * done, if the key that signs is not the one named (undefined: none) any more.
   */
  rotate(
    successor: SigningKey,
    { replaces, event }: { readonly replaces: string | undefined; readonly event: AuditEvent | undefined },
  ): Promise<boolean>;
  /** Removes all keys and lets the successor sign. */
  replaceAll(successor: SigningKey, event: AuditEvent): Promise<void>;
  /** Removes superseded keys by when that was or when they were made; how many. */
  prune(before: { readonly supersededBefore: number; readonly createdBefore: number }): Promise<number>;
}
