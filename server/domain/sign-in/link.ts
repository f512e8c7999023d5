import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { conflict, invalid } from "../errors.ts";
import type { Person } from "../ports/provider-sign-in.ts";
import type { Identity, LinkedMember } from "./identity.ts";
import { SignInRefusal } from "./refusal.ts";

type Stores = Pick<Domain, "metadata" | "clock">;

/** The member to link with a person. Throws `invalid` for an API key. */
export function linkedMember({ actor, organisationId, sessionId }: Caller): LinkedMember {
  if (actor.kind === "key") throw invalid("an API key is not a member, and cannot be connected to a provider");
  return { organisationId, memberId: actor.memberId, sessionId: sessionId ?? null };
}

/** Links a person with an existing member. Throws `SignInRefusal` if the person is another member. */
export async function linkPerson(
  { metadata, clock }: Stores,
  { issuer, subject }: Pick<Person, "issuer" | "subject">,
  linked: LinkedMember,
): Promise<void> {
  const { organisationId, memberId, sessionId } = linked;
  const member = await metadata.members.get(organisationId, memberId);
  if (member === undefined) throw new SignInRefusal("removed");
  const known = await metadata.identities.get(issuer, subject);
  if (known?.memberId === memberId) return;
  if (known !== undefined && (await metadata.members.get(known.organisationId, known.memberId)) !== undefined)
    throw new SignInRefusal("linked_elsewhere");
  const createdAt = clock();
  const identity: Identity = { issuer, subject, organisationId, memberId, createdAt };
  const actor = { kind: "member", memberId } as const;
  const event = actOf(
    { organisationId, actor },
    { action: "identity.link", target: memberId, details: issuer },
    createdAt,
  );
  if (!(await metadata.identities.link(identity, { replaces: known?.memberId, sessionId }, event)))
    throw new SignInRefusal("attempt_expired", "the person or the member has changed meanwhile");
}

/** Lists the caller's identities at providers, oldest first; an API key has none. */
export async function listIdentities(
  { metadata }: Pick<Domain, "metadata">,
  { caller: { actor } }: { caller: Caller },
): Promise<readonly Identity[]> {
  return actor.kind === "key" ? [] : metadata.identities.ofMember(actor.memberId);
}

/** Removes the caller's identities at providers. Throws `conflict` if the caller could not sign in any more. */
export async function unlinkIdentities({ metadata, clock }: Stores, { caller }: { caller: Caller }): Promise<void> {
  const { memberId } = linkedMember(caller);
  if ((await metadata.members.tokens(memberId)).length === 0) {
    throw conflict("you have no personal token, and could not sign in again; make one with drs login --browser first");
  }
  const event = actOf(caller, { action: "identity.unlink", target: memberId }, clock());
  await metadata.identities.unlink(memberId, event);
}
