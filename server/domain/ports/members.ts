import type { AuditEvent } from "../audit/event.ts";
import type { InvitationId, MemberId, OrganisationId, TokenId } from "../ids.ts";
import type { Invitation, Member, PersonalToken } from "../members/member.ts";
import type { MemberRole } from "../members/role.ts";

/** "last owner": an organisation keeps one. "changed": the member is gone or has another role by now. */
export type MemberChange = "done" | "last owner" | "changed";

/** Every change enters its audit event in the same transaction. */
export interface MemberStore {
  /** Oldest first. */
  list(organisationId: OrganisationId): Promise<readonly Member[]>;
  get(organisationId: OrganisationId, id: MemberId): Promise<Member | undefined>;
  /** Only while the member has the role that the caller knows of: who may do it depends on that. */
  setRole(member: Member, role: MemberRole, event: AuditEvent): Promise<MemberChange>;
  /** With all personal tokens and sessions. Only while the member has the role that the caller knows of. */
  remove(member: Member, event: AuditEvent): Promise<MemberChange>;
  /** A personal token that works, and its member. */
  findToken(id: TokenId): Promise<{ readonly token: PersonalToken; readonly member: Member } | undefined>;
  /** The personal tokens of a member, oldest first. */
  tokens(id: MemberId): Promise<readonly PersonalToken[]>;
  removeToken(id: TokenId, event: AuditEvent): Promise<void>;
  /** Written in batches; never moves `lastUsedAt` back. */
  touch(uses: ReadonlyMap<MemberId, number>): Promise<void>;
}

/** Every change enters its audit event in the same transaction. */
export interface InvitationStore {
  /** Also forgets the organisation's invitations that have expired by the new one's creation. */
  create(invitation: Invitation, event: AuditEvent): Promise<void>;
  /** Of whatever organisation: the token is the credential. Undefined also for one that is used or revoked. */
  get(id: InvitationId): Promise<Invitation | undefined>;
  /** Those of all organisations for an e-mail address that have not expired by then, newest first. */
  listByEmail(email: string, now: number): Promise<readonly Invitation[]>;
  /** Those that have not expired by then, oldest first. */
  list(organisationId: OrganisationId, now: number): Promise<readonly Invitation[]>;
  /** False if the organisation has no such invitation that has not expired by then. */
  revoke(organisationId: OrganisationId, id: InvitationId, now: number, event: AuditEvent): Promise<boolean>;
  /** Uses an invitation up and makes the member with a token. False: it has been used or revoked, or has expired by then. */
  accept(
    id: InvitationId,
    joining: { readonly member: Member; readonly token: PersonalToken },
    now: number,
    event: AuditEvent,
  ): Promise<boolean>;
}
