import type { Caller } from "./caller.ts";
import type { Clock } from "./clock.ts";
import { unauthenticated } from "./errors.ts";
import { readFilter } from "./filters/read.ts";
import {
  type KeyId,
  type MemberId,
  type OrganisationId,
  parseKeyId,
  parseSessionId,
  parseTokenId,
  type SessionId,
  type TokenId,
} from "./ids.ts";
import { type Member, roleScopes } from "./members/member.ts";
import type { Metadata } from "./ports/metadata.ts";
import { matchesSecret, parseSecret } from "./secrets.ts";
import { isFresh, isOpen, type Session, sessionEnded, type SessionProof } from "./sessions/session.ts";
import type { UseLog } from "./use-log.ts";
import { findWorkspace, homeWorkspace, noSuchWorkspace } from "./workspaces/workspaces.ts";
import { type ApiKey, isUsable } from "./workspaces/workspace.ts";

/**
 * Authenticates a call by an API key, a personal token or a session, and chooses its workspace. A member's
 * workspace is the one that `workspace` names (id or name), by default the organisation's oldest; a key always uses
 * its own.
 */
export type Authenticate = (
  credential: string | SessionProof | undefined,
  workspace: string | undefined,
) => Promise<Caller>;

/** The stores that authentication reads. */
export interface CallerRows {
  readonly keys: Pick<Metadata["keys"], "get">;
  readonly members: Pick<Metadata["members"], "findToken" | "get">;
  readonly sessions: Pick<Metadata["sessions"], "get">;
  readonly organisations: Pick<Metadata["organisations"], "operator">;
  readonly workspaces: Pick<Metadata["workspaces"], "find" | "oldest">;
}

/** Logs of when keys, members and sessions were last used. */
export interface CallerUses {
  readonly keys: UseLog<KeyId>;
  readonly members: UseLog<MemberId>;
  readonly sessions: UseLog<SessionId>;
}

/**
 * Authentication throws `unauthenticated` for a missing, unknown, expired or revoked credential, and `not_found`
 * for a workspace that the caller cannot access.
 */
export function createAuthenticate(metadata: CallerRows, uses: CallerUses, clock: Clock): Authenticate {
  const { asKey, asMember } = createCallers(metadata, uses, clock);

  async function byKey(credential: string, workspace: string | undefined): Promise<Caller> {
    const { id, secret } = parseSecret("drs", credential);
    const keyId = parseKeyId(id);
    const key = keyId && (await metadata.keys.get(keyId));
    if (!matchesSecret(secret, key) || key === undefined || !isUsable(key, clock())) {
      throw unauthenticated(
        "this API key is not known; check the x-api-key header, or create a key with drs keys create",
      );
    }
    return asKey(key, workspace);
  }

  async function byToken(credential: string, workspace: string | undefined): Promise<Caller> {
    const { id, secret } = parseSecret("drsp", credential);
    const tokenId = parseTokenId(id);
    const found = tokenId && (await metadata.members.findToken(tokenId));
    if (!matchesSecret(secret, found?.token) || found === undefined) {
      throw unauthenticated("this personal token is not known; join again with an invitation from your organisation");
    }
    return asMember(found.member, found.token.id, workspace);
  }

  async function bySession(proof: SessionProof, workspace: string | undefined): Promise<Caller> {
    const { id, secret } = parseSecret("drss", proof.secret);
    const sessionId = parseSessionId(id);
    const session = sessionId && (await metadata.sessions.get(sessionId));
    const now = clock();
    const isOfPage = matchesSecret(proof.pageSecret, session && { secretSha256: session.pageSecretSha256 });
    const isProven = matchesSecret(secret, session) && isOfPage;
    if (session === undefined || !isProven || !isOpen(session, now)) throw sessionEnded();
    const caller = await asHolder(session, workspace);
    uses.sessions.record(session.id, now);
    return { ...caller, sessionId: session.id, isFresh: isFresh(session, now) };
  }

  async function asHolder({ organisationId, holder }: Session, workspace: string | undefined): Promise<Caller> {
    if (holder.kind === "key") {
      const key = await metadata.keys.get(holder.keyId);
      if (key === undefined || !isUsable(key, clock())) throw sessionEnded();
      return asKey(key, workspace);
    }
    const member = await metadata.members.get(organisationId, holder.memberId);
    if (member === undefined) throw sessionEnded();
    return asMember(member, undefined, workspace);
  }

  return async (credential, workspace) => {
    if (credential === undefined || credential === "") {
      throw unauthenticated("this request has no API key; send one in the x-api-key header");
    }
    const named = workspace === "" ? undefined : workspace;
    if (typeof credential !== "string") return bySession(credential, named);
    if (credential.startsWith("drss_")) {
      throw unauthenticated("a session counts in the browser that has it alone; send an API key or a personal token");
    }
    return credential.startsWith("drsp_") ? byToken(credential, named) : byKey(credential, named);
  };
}

/** Creates the caller for a valid key or member, in the workspace that the call names. */
function createCallers(metadata: CallerRows, uses: CallerUses, clock: Clock) {
  const isOperator = operatorCheck(metadata);

  async function asKey(key: ApiKey, workspace: string | undefined): Promise<Caller> {
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

  async function asMember(
    { id: memberId, organisationId, role }: Member,
    tokenId: TokenId | undefined,
    workspace: string | undefined,
  ): Promise<Caller> {
    const { id: workspaceId } =
      workspace === undefined
        ? await homeWorkspace(metadata, organisationId)
        : await findWorkspace(metadata, organisationId, workspace);
    uses.members.record(memberId, clock());
    return {
      organisationId,
      workspaceId,
      actor: { kind: "member", memberId, tokenId, role },
      scopes: new Set(roleScopes[role]),
      isOperator: await isOperator(organisationId),
    };
  }

  return { asKey, asMember };
}

/** The organisation that runs the service never changes, so it is read only once. */
function operatorCheck({ organisations }: CallerRows): (id: OrganisationId) => Promise<boolean> {
  let operator: OrganisationId | undefined;
  return async (id) => {
    operator ??= (await organisations.operator())?.id;
    return id === operator;
  };
}
