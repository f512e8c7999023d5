import { type Caller, type KeyScope } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { notFound } from "../errors.ts";
import { newKeyId, type OrganisationId, parseKeyId, type WorkspaceId } from "../ids.ts";
import type { Metadata } from "../ports/metadata.ts";
import { formatKey, hashSecret, newSecret } from "./api-keys.ts";
import type { ApiKey, Workspace } from "./workspace.ts";

const defaultScopes: readonly KeyScope[] = ["read", "write", "search"];

/** Creates a key for a workspace of the caller's organisation. Its `key` is shown this once and never again. */
export async function createKey(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: { workspace: string; name: string; scopes: readonly KeyScope[] } },
): Promise<ApiKey & { readonly key: string }> {
  const workspaceId =
    input.workspace === "" ? caller.workspaceId : (await findWorkspace(metadata, caller, input.workspace)).id;
  const scopes = input.scopes.length === 0 ? defaultScopes : input.scopes;
  return issueKey(metadata, { organisationId: caller.organisationId, workspaceId, name: input.name, scopes }, clock());
}

/** Stores a new key and gives out its secret. */
export async function issueKey(
  metadata: Metadata,
  grant: {
    readonly organisationId: OrganisationId;
    readonly workspaceId: WorkspaceId;
    readonly name: string;
    readonly scopes: readonly KeyScope[];
  },
  now: number,
): Promise<ApiKey & { readonly key: string }> {
  const secret = newSecret();
  const key: ApiKey = {
    ...grant,
    id: newKeyId(),
    secretSha256: hashSecret(secret),
    createdAt: now,
    lastUsedAt: null,
    revokedAt: null,
  };
  await metadata.keys.create(key);
  return { ...key, key: formatKey(key.id, secret) };
}

/** Keys of the caller's organisation, or of one of its workspaces; oldest first. */
export async function listKeys(
  { metadata }: Domain,
  { caller, input }: { caller: Caller; input: { workspace: string } },
): Promise<readonly ApiKey[]> {
  if (input.workspace === "") return metadata.keys.list(caller.organisationId);
  const workspace = await findWorkspace(metadata, caller, input.workspace);
  return metadata.keys.list(caller.organisationId, workspace.id);
}

/** From now on the key is refused. Revoking twice changes nothing. */
export async function revokeKey(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<ApiKey> {
  const id = parseKeyId(input.id);
  const key = id && (await metadata.keys.revoke(caller.organisationId, id, clock()));
  if (key === undefined) throw notFound(`there is no API key ${JSON.stringify(input.id)} in this organisation`);
  return key;
}

async function findWorkspace(metadata: Metadata, caller: Caller, idOrName: string): Promise<Workspace> {
  const workspace = await metadata.workspaces.find(caller.organisationId, idOrName);
  if (workspace === undefined) throw notFound(`there is no workspace ${JSON.stringify(idOrName)} in this organisation`);
  return workspace;
}
