import { actOf } from "../audit/event.ts";
import type { Domain } from "../domain.ts";
import { forbidden } from "../errors.ts";
import { newMemberId, newTokenId, parseInvitationId, type WorkspaceId } from "../ids.ts";
import { cleanName } from "../names.ts";
import { formatSecret, hashSecret, matchesSecret, newSecret, parseSecret } from "../secrets.ts";
import { homeWorkspace } from "../workspaces/find.ts";
import type { Invitation, Member, PersonalToken } from "./member.ts";

/** A new member with a personal token. */
export interface Joined {
  readonly member: Member;
  /** The personal token; only this answer has it. */
  readonly token: string;
  /** The workspace of calls with the token that name none. */
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
): Promise<Joined> {
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
