import { actOf } from "../audit/event.ts";
import { type Caller, requireOwner } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { forbidden, notFound } from "../errors.ts";
import { newInvitationId, newMemberId, newTokenId, parseInvitationId, type WorkspaceId } from "../ids.ts";
import { cleanName } from "../names.ts";
import { formatSecret, hashSecret, matchesSecret, newSecret, parseSecret } from "../secrets.ts";
import { comparedEmail } from "../sign-in/identity.ts";
import { homeWorkspace } from "../workspaces/workspaces.ts";
import type { Invitation, Member, MemberRole, PersonalToken } from "./member.ts";

export interface InviteMemberInput {
  readonly name: string;
  /** Undefined if the token alone is needed to join. */
  readonly email: string | undefined;
  readonly role: MemberRole;
  /** Default: 72. */
  readonly expiresInHours: number | undefined;
}

const defaultHours = 72;
const hourMs = 3_600_000;

/** Creates an invitation to the caller's organisation. Only this answer has its `token`. */
export async function inviteMember(
  { metadata, clock }: Pick<Domain, "metadata" | "clock">,
  { caller, input }: { caller: Caller; input: InviteMemberInput },
): Promise<Invitation & { readonly token: string }> {
  if (input.role === "owner") requireOwner(caller, "invite owners");
  const secret = newSecret();
  const createdAt = clock();
  const invitation: Invitation = {
    id: newInvitationId(),
    organisationId: caller.organisationId,
    name: cleanName(input.name),
    email: input.email === undefined ? null : comparedEmail(input.email),
    role: input.role,
    secretSha256: hashSecret(secret),
    createdAt,
    expiresAt: createdAt + (input.expiresInHours ?? defaultHours) * hourMs,
  };
  const details = `${JSON.stringify(invitation.name)}, ${invitation.role}`;
  const act = { action: "member.invite", target: invitation.id, details } as const;
  await metadata.invitations.create(invitation, actOf(caller, act, createdAt));
  return { ...invitation, token: formatSecret("drsi", invitation.id, secret) };
}

/** Lists open invitations of the caller's organisation, oldest first. */
export async function listInvitations(
  { metadata, clock }: Domain,
  { caller }: { caller: Caller },
): Promise<readonly Invitation[]> {
  return metadata.invitations.list(caller.organisationId, clock());
}

/** Revokes an open invitation. */
export async function revokeInvitation(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<void> {
  const id = parseInvitationId(input.id);
  const event = actOf(caller, { action: "invitation.revoke", target: input.id }, clock());
  if (id === undefined || !(await metadata.invitations.revoke(caller.organisationId, id, clock(), event))) {
    throw notFound(`there is no open invitation ${JSON.stringify(input.id)} in this organisation`, {
      reason: "INVITATION_NOT_FOUND",
    });
  }
}

/** A new member with a personal token. */
export interface JoinedMember {
  readonly member: Member;
  /** The personal token; only this answer has it. */
  readonly token: string;
  /** The workspace for calls with the token that name no workspace. */
  readonly workspaceId: WorkspaceId;
}

/** The organisation and role that an invitation offers. */
export interface InvitationOffer extends Pick<Invitation, "name" | "role" | "expiresAt"> {
  readonly organisationName: string;
}

/** Reads the invitation with a token; it stays open. Throws `forbidden` as `acceptInvitation` does. */
export async function showInvitation(
  domain: Pick<Domain, "metadata" | "clock">,
  { input }: { input: { token: string } },
): Promise<InvitationOffer> {
  const { organisationId, name, role, expiresAt } = await openInvitation(domain, input.token);
  const organisation = await domain.metadata.organisations.get(organisationId);
  if (organisation === undefined) throw refused();
  return { name, role, expiresAt, organisationName: organisation.name };
}

/**
 * Accepts an invitation: its token makes the caller a member, once. Throws `forbidden`, always with the same
 * sentence, for a token that is unknown, wrong, expired, used or revoked.
 */
export async function acceptInvitation(
  { metadata, clock }: Pick<Domain, "metadata" | "clock">,
  { input }: { input: { token: string; name: string } },
): Promise<JoinedMember> {
  const invitation = await openInvitation({ metadata, clock }, input.token);
  const now = clock();
  const { organisationId, role } = invitation;
  const name = input.name.trim() === "" ? invitation.name : cleanName(input.name);
  const member: Member = { id: newMemberId(), organisationId, name, role, createdAt: now, lastUsedAt: null };
  const personal = newSecret();
  const token: PersonalToken = {
    id: newTokenId(),
    memberId: member.id,
    name: null,
    secretSha256: hashSecret(personal),
    createdAt: now,
  };
  const { id: workspaceId } = await homeWorkspace(metadata, organisationId);
  const actor = { kind: "member", memberId: member.id, tokenId: token.id, role } as const;
  const details = `${JSON.stringify(name)}, ${role}, by ${invitation.id}`;
  const event = actOf({ organisationId, actor }, { action: "member.join", target: member.id, details }, now);
  if (!(await metadata.invitations.accept(invitation.id, { member, token }, now, event))) throw refused();
  return { member, token: formatSecret("drsp", token.id, personal), workspaceId };
}

async function openInvitation(
  { metadata, clock }: Pick<Domain, "metadata" | "clock">,
  token: string,
): Promise<Invitation> {
  const { id, secret } = parseSecret("drsi", token);
  const invitationId = parseInvitationId(id);
  const invitation = invitationId && (await metadata.invitations.get(invitationId));
  if (!matchesSecret(secret, invitation) || invitation === undefined || invitation.expiresAt <= clock())
    throw refused();
  return invitation;
}

const refused = (): Error =>
  forbidden("this invitation is not valid, has expired or has been used; ask for a new one", {
    reason: "INVITATION_INVALID",
  });
