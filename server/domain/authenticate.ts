import type { Caller } from "./caller.ts";
import type { Clock } from "./clock.ts";
import { unauthenticated } from "./errors.ts";
import { readFilter } from "./filters/read.ts";
import { type KeyId, type MemberId, type OrganisationId, parseKeyId, parseTokenId } from "./ids.ts";
import { roleScopes } from "./members/role.ts";
import type { Metadata } from "./ports/metadata.ts";
import { matchesSecret, parseSecret } from "./secrets.ts";
import type { UseLog } from "./use-log.ts";
import { findWorkspace, homeWorkspace, noSuchWorkspace } from "./workspaces/find.ts";
import { isUsable } from "./workspaces/workspace.ts";

/**
 * Authenticates a call by an API key or a personal token, and chooses its workspace: for a member the one that
 * `workspace` names (id or name), by default the organisation's oldest; for a key always its own.
 */
export type Authenticate = (credential: string | undefined, workspace: string | undefined) => Promise<Caller>;

/** The stores that authentication reads. */
export interface CallerRows {
  readonly keys: Pick<Metadata["keys"], "get">;
  readonly members: Pick<Metadata["members"], "findToken">;
  readonly organisations: Pick<Metadata["organisations"], "operator">;
  readonly workspaces: Pick<Metadata["workspaces"], "find" | "oldest">;
}

/** The logs of when keys and members were last used. */
export interface CallerUses {
  readonly keys: UseLog<KeyId>;
  readonly members: UseLog<MemberId>;
}

/**
 * Throws `unauthenticated` for a missing, unknown, expired or revoked credential, `not_found` for a workspace that the
 * caller does not reach.
 */
export function createAuthenticate(metadata: CallerRows, uses: CallerUses, clock: Clock): Authenticate {
  const isOperator = operatorCheck(metadata);

  async function byKey(credential: string, workspace: string | undefined): Promise<Caller> {
    const { id, secret } = parseSecret("drs", credential);
    const keyId = parseKeyId(id);
    const key = keyId && (await metadata.keys.get(keyId));
    if (!matchesSecret(secret, key) || key === undefined || !isUsable(key, clock())) {
      throw unauthenticated(
        "this API key is not known; check the x-api-key header, or create a key with drs keys create",
      );
    }
    const { organisationId, workspaceId, requestsPerMinute, filter } = key;
    if (workspace !== undefined && workspace !== workspaceId) {
      const named = await findWorkspace(metadata, organisationId, workspace);
      if (named.id !== workspaceId) throw noSuchWorkspace(workspace);
    }
    uses.keys.record(key.id, clock());
    return {
      organisationId,
      workspaceId,
      actor: { kind: "key", keyId: key.id, requestsPerMinute },
      scopes: new Set(key.scopes),
      ...(filter !== null && { filter: readFilter(JSON.parse(filter)) }),
      isOperator: await isOperator(organisationId),
    };
  }

  async function byToken(credential: string, workspace: string | undefined): Promise<Caller> {
    const { id, secret } = parseSecret("drsp", credential);
    const tokenId = parseTokenId(id);
    const found = tokenId && (await metadata.members.findToken(tokenId));
    if (!matchesSecret(secret, found?.token) || found === undefined) {
      throw unauthenticated("this personal token is not known; join again with an invitation from your organisation");
    }
    const { member, token } = found;
    const { organisationId, role } = member;
    const { id: workspaceId } =
      workspace === undefined
        ? await homeWorkspace(metadata, organisationId)
        : await findWorkspace(metadata, organisationId, workspace);
    uses.members.record(member.id, clock());
    return {
      organisationId,
      workspaceId,
      actor: { kind: "member", memberId: member.id, tokenId: token.id, role },
      scopes: new Set(roleScopes[role]),
      isOperator: await isOperator(organisationId),
    };
  }

  return async (credential, workspace) => {
    if (credential === undefined || credential === "") {
      throw unauthenticated("this request has no API key; send one in the x-api-key header");
    }
    const named = workspace === "" ? undefined : workspace;
    return credential.startsWith("drsp_") ? byToken(credential, named) : byKey(credential, named);
  };
}

/** Which organisation runs the service never changes, so it is read once. */
function operatorCheck({ organisations }: CallerRows): (id: OrganisationId) => Promise<boolean> {
  let operator: OrganisationId | undefined;
  return async (id) => {
    operator ??= (await organisations.operator())?.id;
    return id === operator;
  };
}
