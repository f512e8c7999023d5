import { type Act, actOf, actOfService, type AuditEvent } from "../audit/event.ts";
import type { Domain } from "../domain.ts";
import { newMemberId, type OrganisationId, parseOrganisationId } from "../ids.ts";
import type { Invitation, Member } from "../members/member.ts";
import type { MemberRole } from "../members/role.ts";
import { shownName } from "./shown-name.ts";
import { foundingEvents, newOrganisation } from "../organisations/found.ts";
import type { IdentityJoining } from "../ports/identities.ts";
import type { Person } from "../ports/identity-provider.ts";
import { comparedEmail, domainOf } from "./email.ts";
import type { Identity } from "./identity.ts";
import { SignInRefusal } from "./refusal.ts";
import { highestRole } from "./roles.ts";

/** Who joins, and as what. */
export interface SignInRules {
  /** In lower case. */
  readonly allowedDomains: readonly string[];
  /** Whom people of these domains join, and where roles follow groups; undefined: the organisation that runs the service. */
  readonly organisation: string | undefined;
  /** None: roles do not follow groups. */
  readonly roles: readonly (readonly [group: string, role: MemberRole])[];
  /** Of organisations that people found; undefined: they found none. */
  readonly signUpPlan: string | undefined;
}

/** Of those who join by their domain where roles do not follow groups. */
const defaultRole: MemberRole = "member";

type Stores = Pick<Domain, "metadata" | "clock">;

interface Choice {
  readonly person: Person;
  /** The person wants an organisation of their own, whoever invites them. */
  readonly isFounding: boolean;
}

/** The member that a person is, or becomes now. Throws `SignInRefusal` for who is none and may not join. */
export async function memberOf(domain: Stores, rules: SignInRules, choice: Choice): Promise<Member> {
  const { person } = choice;
  const { metadata } = domain;
  // Of two that join at a time as the same person the slower one finds the other's member.
  for (let tries = 0; tries < 3; tries++) {
    const identity = await metadata.identities.get(person.issuer, person.subject);
    const member = identity && (await metadata.members.get(identity.organisationId, identity.memberId));
    if (member !== undefined) return withRole(domain, rules, { person, member });
    const joined = await join(domain, rules, { ...choice, removed: identity });
    if (joined !== undefined) return joined;
  }
  throw new SignInRefusal("attempt_expired", "the person's membership kept changing meanwhile");
}

async function withRole(
  { metadata, clock }: Stores,
  rules: SignInRules,
  { person, member }: { person: Person; member: Member },
): Promise<Member> {
  const role = await roleIn({ metadata }, rules, { person, organisationId: member.organisationId });
  if (role === undefined || role === member.role) return member;
  const act: Act = { action: "member.update", target: member.id, details: `${member.role} to ${role}, by groups` };
  // The last owner stays one. Who has been changed meanwhile is what the change says.
  await metadata.members.setRole(member, role, actOfService(member.organisationId, act, clock()));
  const now = await metadata.members.get(member.organisationId, member.id);
  if (now === undefined) throw new SignInRefusal("removed");
  return now;
}

/** Undefined: something has changed meanwhile. */
async function join(
  domain: Stores,
  rules: SignInRules,
  choice: Choice & { removed: Identity | undefined },
): Promise<Member | undefined> {
  const { person, removed } = choice;
  const { metadata, clock } = domain;
  const { verifiedEmail, issuer, subject } = person;
  if (verifiedEmail === undefined) throw new SignInRefusal("email_unverified");
  const email = comparedEmail(verifiedEmail);
  const now = clock();
  const way =
    (await byInvitation(domain, rules, { ...choice, email, now })) ??
    (removed === undefined ? undefined : refuse("removed")) ??
    (await byDomain(domain, rules, { person, email })) ??
    (rules.signUpPlan === undefined ? refuse("not_invited") : founding(person, rules.signUpPlan, now));
  const { organisationId, role, founding: founded, invitation } = way;
  const name = shownName(person);
  const member: Member = { id: newMemberId(), organisationId, name, role, createdAt: now, lastUsedAt: null };
  const joining: IdentityJoining = {
    identity: { issuer, subject, organisationId, memberId: member.id, createdAt: now },
    member,
    replaces: removed?.memberId,
    invitation: invitation?.id,
    founding: founded,
  };
  const outcome = await metadata.identities.join(joining, now, eventsOf(way, member, now));
  if (outcome === "no plan") throw new SignInRefusal("misconfigured", `there is no plan ${rules.signUpPlan}`);
  return outcome === "joined" ? member : undefined;
}

interface Way {
  readonly organisationId: OrganisationId;
  readonly role: MemberRole;
  readonly invitation?: Invitation;
  readonly founding?: IdentityJoining["founding"];
}

/**
 * An invitation to the organisation of the settings, or to the one that the person was in, else one that leaves no choice.
 * Throws `SignInRefusal` where there is one: any organisation can invite any address, so the person has to say.
 */
async function byInvitation(
  { metadata }: Stores,
  rules: SignInRules,
  choice: Choice & { removed: Identity | undefined; email: string; now: number },
): Promise<Way | undefined> {
  const { person, isFounding, removed, email, now } = choice;
  const all = await metadata.invitations.listByEmail(email, now);
  const [newest] = all;
  if (newest === undefined) return undefined;
  const home = await organisationOf({ metadata }, rules);
  // Who has an address of an allowed domain belongs there: no other organisation can draw such a person in.
  const isOfDomain = rules.allowedDomains.includes(domainOf(email));
  const own = [home, ...(isOfDomain || removed === undefined ? [] : [removed.organisationId])];
  const canFound = rules.signUpPlan !== undefined;
  let invitation = all.find(({ organisationId }) => own.includes(organisationId));
  if (invitation === undefined) {
    if (isOfDomain || (canFound && isFounding)) return undefined;
    if (canFound || all.some(({ organisationId }) => organisationId !== newest.organisationId)) refuse("invited");
    invitation = newest;
  }
  const { organisationId } = invitation;
  const role = (await roleIn({ metadata }, rules, { person, organisationId })) ?? invitation.role;
  return { organisationId, role, invitation };
}

async function byDomain(
  { metadata }: Stores,
  rules: SignInRules,
  { person, email }: { person: Person; email: string },
): Promise<Way | undefined> {
  if (!rules.allowedDomains.includes(domainOf(email))) return undefined;
  const organisationId = await organisationOf({ metadata }, rules);
  if ((await metadata.organisations.get(organisationId)) === undefined)
    throw new SignInRefusal("misconfigured", `there is no organisation ${organisationId}`);
  return { organisationId, role: (await roleIn({ metadata }, rules, { person, organisationId })) ?? defaultRole };
}

function founding(person: Person, plan: string, now: number): Way {
  const made = newOrganisation({ name: shownName(person), plan, isOperator: false }, now);
  return { organisationId: made.organisation.id, role: "owner", founding: made };
}

/**
 * What the groups of a person give in an organisation; undefined: groups have no say there. Throws `SignInRefusal` where they
 * have, and give nothing.
 */
async function roleIn(
  stores: Pick<Stores, "metadata">,
  rules: SignInRules,
  { person, organisationId }: { person: Person; organisationId: OrganisationId },
): Promise<MemberRole | undefined> {
  if (rules.roles.length === 0 || organisationId !== (await organisationOf(stores, rules))) return undefined;
  return highestRole(rules.roles, person.groups) ?? refuse("no_role");
}

async function organisationOf(
  { metadata }: Pick<Stores, "metadata">,
  { organisation }: SignInRules,
): Promise<OrganisationId> {
  const id =
    organisation === undefined ? (await metadata.organisations.operator())?.id : parseOrganisationId(organisation);
  if (id === undefined) throw new SignInRefusal("misconfigured", `${organisation} is no id of an organisation`);
  return id;
}

function eventsOf({ organisationId, invitation, founding }: Way, member: Member, now: number): readonly AuditEvent[] {
  const by = invitation === undefined ? "by sign-in" : `by ${invitation.id}`;
  const details = `${JSON.stringify(member.name)}, ${member.role}, ${by}`;
  const actor = { kind: "member", memberId: member.id } as const;
  const joins = actOf({ organisationId, actor }, { action: "member.join", target: member.id, details }, now);
  return [...(founding === undefined ? [] : foundingEvents(founding)), joins];
}

function refuse(code: ConstructorParameters<typeof SignInRefusal>[0]): never {
  throw new SignInRefusal(code);
}
