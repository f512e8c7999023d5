import { actOf } from "../audit/event.ts";
import { type Caller, type KeyScope, requireOwner } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { conflict, invalid, notFound } from "../errors.ts";
import { isEverything } from "../filters/filter.ts";
import { readFilter } from "../filters/read.ts";
import { newKeyId, type OrganisationId, parseKeyId, type WorkspaceId } from "../ids.ts";
import { formatSecret, hashSecret, newSecret } from "../secrets.ts";
import { findWorkspace } from "./workspaces.ts";
import { type ApiKey, isUsable } from "./workspace.ts";

export interface CreateKeyInput {
  /** Id or name; empty for the caller's own workspace. */
  readonly workspace: string;
  readonly name: string;
  /** Empty for read, write and search. */
  readonly scopes: readonly KeyScope[];
  /** Undefined for never. */
  readonly expiresInDays: number | undefined;
  readonly requestsPerMinute: number | undefined;
  /** JSON of a filter that the key is bound to; undefined for none. */
  readonly filter?: unknown;
}

/** A key as it is issued: `key` is shown only once. */
export interface IssuedKey extends ApiKey {
  readonly key: string;
}

const defaultScopes: readonly KeyScope[] = ["read", "write", "search"];
const dayMs = 86_400_000;

/**
 * Creates a key for a workspace of the caller's organisation. Throws `forbidden` for a key with the admin scope
 * unless the caller has an owner's powers, since such a key has them.
 */
export async function createKey(
  { metadata, clock }: Pick<Domain, "metadata" | "clock">,
  { caller, input }: { caller: Caller; input: CreateKeyInput },
): Promise<IssuedKey> {
  const { organisationId } = caller;
  const workspaceId =
    input.workspace === "" ? caller.workspaceId : (await findWorkspace(metadata, organisationId, input.workspace)).id;
  const scopes = input.scopes.length === 0 ? defaultScopes : input.scopes;
  mayIssue(caller, scopes);
  const filter = input.filter === undefined ? null : readBinding(input.filter, scopes);
  const now = clock();
  const { expiresInDays, requestsPerMinute = null } = input;
  const issued = newKey(
    {
      organisationId,
      workspaceId,
      name: input.name,
      scopes,
      requestsPerMinute,
      filter,
      expiresAt: expiresInDays === undefined ? null : now + Math.ceil(expiresInDays * dayMs),
    },
    now,
  );
  const bound = filter === null ? "" : `, bound to ${filter.slice(0, shownOfFilter)}`;
  const details = `${JSON.stringify(input.name)}: ${scopes.join(", ")}${bound}`;
  const act = { action: "key.create", target: issued.id, workspaceId, details } as const;
  await metadata.keys.create(issued, actOf(caller, act, now));
  return issued;
}

/** Creates a key with a secret; it is valid once it is stored. */
export function newKey(
  grant: {
    readonly organisationId: OrganisationId;
    readonly workspaceId: WorkspaceId;
    readonly name: string;
    readonly scopes: readonly KeyScope[];
    readonly expiresAt: number | null;
    readonly requestsPerMinute: number | null;
    /** Undefined for none. */
    readonly filter?: string | null;
  },
  now: number,
): IssuedKey {
  const id = newKeyId();
  const secret = newSecret();
  return {
    filter: null,
    ...grant,
    id,
    secretSha256: hashSecret(secret),
    createdAt: now,
    lastUsedAt: null,
    revokedAt: null,
    replacedBy: null,
    key: formatSecret("drs", id, secret),
  };
}

/** Lists keys of the caller's organisation, or of one of its workspaces; oldest first. */
export async function listKeys(
  { metadata }: Domain,
  { caller, input }: { caller: Caller; input: { workspace: string } },
): Promise<readonly ApiKey[]> {
  if (input.workspace === "") return metadata.keys.list(caller.organisationId);
  const workspace = await findWorkspace(metadata, caller.organisationId, input.workspace);
  return metadata.keys.list(caller.organisationId, workspace.id);
}

/** Revokes a key, which is refused from now on. Revoking twice changes nothing. */
export async function revokeKey(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<ApiKey> {
  const { id, workspaceId } = await findKey({ metadata }, caller, input.id);
  const now = clock();
  const event = actOf(caller, { action: "key.revoke", target: id, workspaceId }, now);
  const revoked = await metadata.keys.revoke(caller.organisationId, id, now, event);
  if (revoked === undefined) throw noSuchKey(input.id);
  return revoked;
}

/**
 * Creates a key like an existing one, with the same time to live from now on; the existing one is refused after
 * `overlapHours` (default 24; 0 for at once). Throws `conflict` for a key that is not usable or has been replaced,
 * and `forbidden` as `createKey` does.
 */
export async function rotateKey(
  { metadata, clock }: Pick<Domain, "metadata" | "clock">,
  { caller, input }: { caller: Caller; input: { id: string; overlapHours: number | undefined } },
): Promise<IssuedKey> {
  const old = await findKey({ metadata }, caller, input.id);
  mayIssue(caller, old.scopes);
  const now = clock();
  if (!isUsable(old, now) || old.replacedBy !== null) throw cannotRotate(old);
  const { organisationId, workspaceId, name, scopes, requestsPerMinute, filter } = old;
  const expiresAt = old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt);
  const issued = newKey({ organisationId, workspaceId, name, scopes, requestsPerMinute, filter, expiresAt }, now);
  const overlapEnds = now + (input.overlapHours ?? defaultOverlapHours) * hourMs;
  const oldExpiresAt = Math.min(overlapEnds, old.expiresAt ?? overlapEnds);
  const details = `replaced by ${issued.id}, works until ${new Date(oldExpiresAt).toISOString()}`;
  const event = actOf(caller, { action: "key.rotate", target: old.id, workspaceId, details }, now);
  if (!(await metadata.keys.rotate(old.id, issued, oldExpiresAt, event))) throw cannotRotate(old);
  return issued;
}

const defaultOverlapHours = 24;
const hourMs = 3_600_000;

/** Characters of a filter that the audit log shows. */
const shownOfFilter = 500;

/** The stored JSON of a filter that a key is to be bound to. */
function readBinding(json: unknown, scopes: readonly KeyScope[]): string {
  if (scopes.includes("admin")) {
    throw invalid("a key with the admin scope cannot be bound to a filter: it can make keys that are not");
  }
  const filter = readFilter(json);
  if (isEverything(filter)) throw invalid("the filter passes everything; leave it out for a key that sees everything");
  return JSON.stringify(json);
}

/** A key with the admin scope has the powers of owners, so only owners may issue one. */
function mayIssue(caller: Caller, scopes: readonly KeyScope[]): void {
  if (scopes.includes("admin")) requireOwner(caller, "hand out keys with the admin scope");
}

async function findKey({ metadata }: Pick<Domain, "metadata">, caller: Caller, id: string): Promise<ApiKey> {
  const keyId = parseKeyId(id);
  const key = keyId && (await metadata.keys.get(keyId));
  if (key === undefined || key.organisationId !== caller.organisationId) throw noSuchKey(id);
  return key;
}

const noSuchKey = (id: string): Error =>
  notFound(`there is no API key ${JSON.stringify(id)} in this organisation`, { reason: "KEY_NOT_FOUND" });

const cannotRotate = ({ id }: ApiKey): Error =>
  conflict(`the API key ${id} is revoked, expired or already replaced; create a new one`);
