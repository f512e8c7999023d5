import { actOf } from "../audit/event.ts";
import { type Caller, requireOwner } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { conflict, invalid, notFound } from "../errors.ts";
import { parseMemberId, parseTokenId, type TokenId } from "../ids.ts";
import type { MemberChange } from "../ports/members.ts";
import type { Member, MemberRole, PersonalToken } from "./member.ts";

/** Lists members of the caller's organisation, oldest first. */
export async function listMembers({ metadata }: Domain, { caller }: { caller: Caller }): Promise<readonly Member[]> {
  return metadata.members.list(caller.organisationId);
}

/** Changes a member's role, at once. Throws `forbidden` if only owners may, `conflict` for the last owner. */
export async function updateMember(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string; role: MemberRole } },
): Promise<Member> {
  const member = await findMember(domain, caller, input.id);
  if (member.role === "owner" || input.role === "owner") requireOwner(caller, "make, change or remove owners");
  if (member.role === input.role) return member;
  const act = { action: "member.update", target: member.id, details: `${member.role} to ${input.role}` } as const;
  settle(await domain.metadata.members.setRole(member, input.role, actOf(caller, act, domain.clock())));
  return { ...member, role: input.role };
}

/** Removes a member, whose personal tokens are refused from now on. Throws as `updateMember` does. */
export async function removeMember(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<void> {
  const member = await findMember(domain, caller, input.id);
  if (member.role === "owner") requireOwner(caller, "make, change or remove owners");
  const details = `${JSON.stringify(member.name)}, ${member.role}`;
  const act = { action: "member.remove", target: member.id, details } as const;
  settle(await domain.metadata.members.remove(member, actOf(caller, act, domain.clock())));
}

/** Ends the session, or revokes the personal token, of the call. Throws `invalid` for a call with an API key. */
export async function signOut({ metadata, clock }: Domain, { caller }: { caller: Caller }): Promise<void> {
  const { actor, sessionId } = caller;
  if (sessionId !== undefined) {
    const event = actOf(caller, { action: "session.end", target: sessionId }, clock());
    await metadata.sessions.end(actor, sessionId, { isDistrusted: false, event });
    return;
  }
  if (actor.kind === "key" || actor.tokenId === undefined) {
    throw invalid("this call is made with an API key, which does not sign in or out; revoke it if it is to end");
  }
  const act = { action: "member.sign_out", target: actor.memberId } as const;
  await metadata.members.removeToken(actor.tokenId, actOf(caller, act, clock()));
}

/** The device that the caller's personal token was created for; null if there is none. */
export async function deviceOf({ metadata }: Domain, { caller }: { caller: Caller }): Promise<string | null> {
  const { actor } = caller;
  if (actor.kind === "key" || actor.tokenId === undefined) return null;
  return (await metadata.members.findToken(actor.tokenId))?.token.name ?? null;
}

/** The names of the caller, the organisation and the workspace; a key may have no name. */
export async function callerNames(
  { metadata }: Domain,
  { caller: { actor, organisationId, workspaceId } }: { caller: Caller },
): Promise<CallerNames> {
  const [self, organisation, workspace] = await Promise.all([
    actor.kind === "key" ? metadata.keys.get(actor.keyId) : metadata.members.get(organisationId, actor.memberId),
    metadata.organisations.get(organisationId),
    metadata.workspaces.find(organisationId, workspaceId),
  ]);
  return {
    name: self?.name ?? "",
    organisationName: organisation?.name ?? "",
    workspaceName: workspace?.name ?? "",
  };
}

interface CallerNames {
  readonly name: string;
  readonly organisationName: string;
  readonly workspaceName: string;
}

async function findMember({ metadata }: Domain, { organisationId }: Caller, id: string): Promise<Member> {
  const memberId = parseMemberId(id);
  const member = memberId && (await metadata.members.get(organisationId, memberId));
  if (member === undefined)
    throw notFound(`there is no member ${JSON.stringify(id)} in this organisation`, { reason: "MEMBER_NOT_FOUND" });
  return member;
}

function settle(change: MemberChange): void {
  if (change === "last owner") {
    throw conflict("this is the last owner of the organisation; make another member an owner first", {
      reason: "LAST_OWNER",
    });
  }
  if (change === "changed") throw conflict("the member has been changed meanwhile; look again and repeat the call");
}

/** Lists the caller's personal tokens, oldest first; an API key has none. */
export async function listTokens(
  { metadata }: Domain,
  { caller }: { caller: Caller },
): Promise<readonly PersonalToken[]> {
  const { actor } = caller;
  return actor.kind === "key" ? [] : metadata.members.tokens(actor.memberId);
}

/** The personal token of the call; undefined if it came with another credential. */
export const currentToken = ({ actor, sessionId }: Caller): TokenId | undefined =>
  actor.kind === "key" || sessionId !== undefined ? undefined : actor.tokenId;

/** Revokes one of the caller's personal tokens. Throws `not_found` for any other token. */
export async function endToken(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<void> {
  const { actor } = caller;
  const id = parseTokenId(input.id);
  const found = id && actor.kind !== "key" ? await metadata.members.findToken(id) : undefined;
  if (found === undefined || actor.kind === "key" || found.member.id !== actor.memberId) {
    throw notFound(`you have no personal token ${JSON.stringify(input.id)}`);
  }
  const { name } = found.token;
  const details = name === null ? "" : JSON.stringify(name);
  const event = actOf(caller, { action: "member.sign_out", target: actor.memberId, details }, clock());
  await metadata.members.removeToken(found.token.id, event);
}
