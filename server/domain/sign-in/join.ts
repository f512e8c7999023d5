import { type Act, actOf, actOfService, type AuditEvent } from "../audit/event.ts";
import type { Domain } from "../domain.ts";
import { newMemberId, type OrganisationId, parseOrganisationId } from "../ids.ts";
import type { Invitation, Member, MemberRole } from "../members/member.ts";
import { cleanName } from "../names.ts";
import { foundingEvents, newOrganisation } from "../organisations/found.ts";
import type { IdentityJoining } from "../ports/members.ts";
import type { Person } from "../ports/provider-sign-in.ts";
import { comparedEmail, domainOf, type Identity } from "./identity.ts";
import { SignInRefusal } from "./refusal.ts";

/** Who may join, and in which role. */
export interface SignInRules {
  /** In lower case. */
  readonly allowedDomains: readonly string[];
  /**
   * The organisation that people of these domains join, and in which roles follow groups; undefined for the
   * organisation that runs the service.
   */
  readonly organisation: string | undefined;
  /** Empty if roles do not follow groups. */
  readonly roles: readonly (readonly [group: string, role: MemberRole])[];
  /** The plan of organisations that people create; undefined if they may not create any. */
  readonly signUpPlan: string | undefined;
}

/** For people who join by their domain if roles do not follow groups. */
const defaultRole: MemberRole = "member";

type Stores = Pick<Domain, "metadata" | "clock">;

interface Choice {
  readonly person: Person;
  /** Whether the person wants an organisation of their own, even if invited. */
  readonly isFounding: boolean;
}

/** Finds the member of a person, or lets the person join. Throws `SignInRefusal` for a person who may not. */
export async function memberOf(domain: Stores, rules: SignInRules, choice: Choice): Promise<Member> {
  const { person } = choice;
  const { metadata } = domain;
  // If the same person joins twice at a time, the slower attempt finds the member of the faster.
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
  // The last owner stays an owner. If the member has been changed meanwhile, that change wins.
  await metadata.members.setRole(member, role, actOfService(member.organisationId, act, clock()));
  const now = await metadata.members.get(member.organisationId, member.id);
  if (now === undefined) throw new SignInRefusal("removed");
  return now;
}

/** Undefined if something has changed meanwhile. */
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
  const admission =
    (await byInvitation(domain, rules, { ...choice, email, now })) ??
    (removed === undefined ? undefined : refuse("removed")) ??
    (await byDomain(domain, rules, { person, email })) ??
    (rules.signUpPlan === undefined ? refuse("not_invited") : founding(person, rules.signUpPlan, now));
  const { organisationId, role, founding: founded, invitation } = admission;
  const name = shownName(person);
  const member: Member = { id: newMemberId(), organisationId, name, role, createdAt: now, lastUsedAt: null };
  const joining: IdentityJoining = {
    identity: { issuer, subject, organisationId, memberId: member.id, createdAt: now },
    member,
    replaces: removed?.memberId,
    invitation: invitation?.id,
    founding: founded,
  };
  const outcome = await metadata.identities.join(joining, now, eventsOf(admission, member, now));
  if (outcome === "no plan") throw new SignInRefusal("misconfigured", `there is no plan ${rules.signUpPlan}`);
  return outcome === "joined" ? member : undefined;
}

interface Admission {
  readonly organisationId: OrganisationId;
  readonly role: MemberRole;
  readonly invitation?: Invitation;
  readonly founding?: IdentityJoining["founding"];
}

/**
 * Finds the invitation to accept: the newest one to the configured organisation or to the one that the person was in;
 * else the newest one, if only one organisation invites the person. Throws `SignInRefusal` if the person has a
 * choice: any organisation can invite any address, so the person has to decide.
 */
async function byInvitation(
  { metadata }: Stores,
  rules: SignInRules,
  choice: Choice & { removed: Identity | undefined; email: string; now: number },
): Promise<Admission | undefined> {
  const { person, isFounding, removed, email, now } = choice;
  const all = await metadata.invitations.listByEmail(email, now);
  const [newest] = all;
  if (newest === undefined) return undefined;
  const home = await organisationOf({ metadata }, rules);
  // A person with an address of an allowed domain belongs there: no other organisation can draw them in.
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
): Promise<Admission | undefined> {
  if (!rules.allowedDomains.includes(domainOf(email))) return undefined;
  const organisationId = await organisationOf({ metadata }, rules);
  if ((await metadata.organisations.get(organisationId)) === undefined)
    throw new SignInRefusal("misconfigured", `there is no organisation ${organisationId}`);
  return { organisationId, role: (await roleIn({ metadata }, rules, { person, organisationId })) ?? defaultRole };
}

function founding(person: Person, plan: string, now: number): Admission {
  const made = newOrganisation({ name: shownName(person), plan, isOperator: false }, now);
  return { organisationId: made.organisation.id, role: "owner", founding: made };
}

/**
 * The role that a person's groups give in an organisation; undefined if groups do not matter there. Throws
 * `SignInRefusal` if they do, but give none.
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
  if (id === undefined) throw new SignInRefusal("misconfigured", `${organisation} is not the id of an organisation`);
  return id;
}

function eventsOf(
  { organisationId, invitation, founding }: Admission,
  member: Member,
  now: number,
): readonly AuditEvent[] {
  const by = invitation === undefined ? "by sign-in" : `by ${invitation.id}`;
  const details = `${JSON.stringify(member.name)}, ${member.role}, ${by}`;
  const actor = { kind: "member", memberId: member.id } as const;
  const joins = actOf({ organisationId, actor }, { action: "member.join", target: member.id, details }, now);
  return [...(founding === undefined ? [] : foundingEvents(founding)), joins];
}

function refuse(code: ConstructorParameters<typeof SignInRefusal>[0]): never {
  throw new SignInRefusal(code);
}

/** Ascending by powers. */
const ranked: readonly MemberRole[] = ["viewer", "member", "admin", "owner"];

/** The highest role that the groups give, `*` being a group of everybody; undefined for none. */
export function highestRole(
  roles: readonly (readonly [group: string, role: MemberRole])[],
  groups: readonly string[],
): MemberRole | undefined {
  const given = roles.flatMap(([group, role]) => (group === "*" || groups.includes(group) ? [role] : []));
  return ranked.findLast((role) => given.includes(role));
}

/** As long as a name in an invitation may be. */
const maxLength = 128;

/** The name of a person in lists: from the provider, else the e-mail address, else the provider's identifier. */
function shownName({ name, verifiedEmail, subject }: Person): string {
  for (const candidate of [name, verifiedEmail, subject]) {
    try {
      if (candidate !== undefined) return cleanName(candidate.slice(0, maxLength));
    } catch {
      // The name has no visible characters.
    }
  }
  return "nameless";
}
