import { actOf } from "../audit/event.ts";
import { type Caller, requireOwner } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { notFound } from "../errors.ts";
import { newInvitationId, parseInvitationId } from "../ids.ts";
import { cleanName } from "../names.ts";
import { formatSecret, hashSecret, newSecret } from "../secrets.ts";
import { comparedEmail } from "../sign-in/email.ts";
import type { Invitation } from "./member.ts";
import type { MemberRole } from "./role.ts";

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
