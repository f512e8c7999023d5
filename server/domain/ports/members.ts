import type { AuditEvent } from "../audit/event.ts";
import type { InvitationId, MemberId, OrganisationId, TokenId } from "../ids.ts";
import type { Invitation, Member, PersonalToken } from "../members/member.ts";
import type { MemberRole } from "../members/role.ts";

/** "last owner": an organisation keeps one. "changed": the member is gone or has another role by now. */
export type MemberChange = "done" | "last owner" | "changed";

/** Every change logs its audit event in the same transaction. */
export interface MemberStore {
  /** Oldest first. */
  list(organisationId: OrganisationId): Promise<readonly Member[]>;
  get(organisationId: OrganisationId, id: MemberId): Promise<Member | undefined>;
  /** Only while the member has the role that the caller knows: the permission depends on it. */
  setRole(member: Member, role: MemberRole, event: AuditEvent): Promise<MemberChange>;
  /** Also removes all personal tokens and sessions. Only while the member has the role that the caller knows. */
  remove(member: Member, event: AuditEvent): Promise<MemberChange>;
  /** A valid personal token, and its member. */
  findToken(id: TokenId): Promise<{ readonly token: PersonalToken; readonly member: Member } | undefined>;
  /** The personal tokens of a member, oldest first. */
  tokens(id: MemberId): Promise<readonly PersonalToken[]>;
  removeToken(id: TokenId, event: AuditEvent): Promise<void>;
  /** Called in batches; never moves `lastUsedAt` back. */
  touch(uses: ReadonlyMap<MemberId, number>): Promise<void>;
}

/** Every change logs its audit event in the same transaction. */
export interface InvitationStore {
  /** Also deletes the organisation's invitations that have expired by the new one's creation. */
  create(invitation: Invitation, event: AuditEvent): Promise<void>;
  /**
   * Finds the invitation in any organisation: the token is the credential. Undefined also for one that is used or
   * revoked.
   */
  get(id: InvitationId): Promise<Invitation | undefined>;
  /** The invitations of all organisations for an e-mail address that have not expired by then, newest first. */
  listByEmail(email: string, now: number): Promise<readonly Invitation[]>;
  /** Invitations that have not expired by then, oldest first. */
  list(organisationId: OrganisationId, now: number): Promise<readonly Invitation[]>;
  /** False if the organisation has no such invitation that has not expired by then. */
  revoke(organisationId: OrganisationId, id: InvitationId, now: number, event: AuditEvent): Promise<boolean>;
  /**
   * Uses up an invitation and creates the member with a token. False if it has been used or revoked, or has expired
   * by then.
   */
  accept(
    id: InvitationId,
    joining: { readonly member: Member; readonly token: PersonalToken },
    now: number,
    event: AuditEvent,
  ): Promise<boolean>;
}
