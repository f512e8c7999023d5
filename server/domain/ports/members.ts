import type { AuditEvent } from "../audit/event.ts";
import type { DeviceCode } from "../devices/device.ts";
import type { DeviceCodeId, InvitationId, MemberId, OrganisationId, SessionId, SignInCodeId, TokenId } from "../ids.ts";
import type { Invitation, Member, MemberRole, PersonalToken } from "../members/member.ts";
import type { Holder, Session, SignInCode } from "../sessions/session.ts";
import type { Identity } from "../sign-in/identity.ts";
import type { Founding } from "./organisations.ts";

/** "last owner": an organisation must have an owner. "changed": the member is gone or has another role by now. */
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
  /** The invitations of all organisations for an e-mail address that have not expired at `now`, newest first. */
  listByEmail(email: string, now: number): Promise<readonly Invitation[]>;
  /** Invitations that have not expired at `now`, oldest first. */
  list(organisationId: OrganisationId, now: number): Promise<readonly Invitation[]>;
  /** False if the organisation has no such invitation, or the invitation has expired at `now`. */
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

export interface SessionStore {
  /** Also logs the event, and deletes sessions and codes that have expired by the session's creation. */
  create(session: Session, event: AuditEvent): Promise<void>;
  /** Includes expired sessions. */
  get(id: SessionId): Promise<Session | undefined>;
  /** Oldest first, expired ones included. */
  list(holder: Holder): Promise<readonly Session[]>;
  /**
   * Ends a session of the holder and logs the event; false if there is none. If it is distrusted, the tokens of the
   * devices that it has approved and the identities that it has linked end too.
   */
  end(
    holder: Holder,
    id: SessionId,
    how: { readonly isDistrusted: boolean; readonly event: AuditEvent },
  ): Promise<boolean>;
  /** Called in batches; never moves `lastUsedAt` back. */
  touch(uses: ReadonlyMap<SessionId, number>): Promise<void>;
  createCode(code: SignInCode): Promise<void>;
  getCode(id: SignInCodeId): Promise<SignInCode | undefined>;
  /** Uses up a code; false if it has been used. */
  useCode(id: SignInCodeId): Promise<boolean>;
}

export interface DeviceStore {
  /**
   * Also deletes devices that have expired when this one is created. If `maxWaiting` devices are stored, drops one of
   * the network that has the most: its oldest unanswered device, or else its oldest. "taken": the user code is in
   * use.
   */
  create(device: DeviceCode, maxWaiting: number): Promise<"created" | "taken">;
  get(id: DeviceCodeId): Promise<DeviceCode | undefined>;
  /** Includes devices that have expired or been answered. */
  findByUserCode(userCode: string): Promise<DeviceCode | undefined>;
  /**
   * Stores the answer and logs the event, once per device. False if it was answered or has expired by then, or the
   * session has ended.
   */
  answer(
    id: DeviceCodeId,
    by: {
      readonly answer: "approved" | "denied";
      readonly memberId: MemberId;
      readonly organisationId: OrganisationId;
      /** The session that answered; the token ends with it. Null if there is none. */
      readonly sessionId: SessionId | null;
    },
    now: number,
    event: AuditEvent,
  ): Promise<boolean>;
  polled(id: DeviceCodeId, at: number): Promise<void>;
  /**
   * Uses up an approved device and creates its member's token. Undefined, without a token, if it has been used or
   * the member is gone.
   */
  redeem(id: DeviceCodeId, token: PersonalToken): Promise<Member | undefined>;
}

/** A person who becomes a member by signing in. */
export interface IdentityJoining {
  readonly identity: Identity;
  readonly member: Member;
  /** The member that the identity was linked with so far; undefined for a new identity. */
  readonly replaces: MemberId | undefined;
  /** The invitation that is used up; undefined if there is none. */
  readonly invitation: InvitationId | undefined;
  /** The organisation to create with the member; undefined if it exists. */
  readonly founding: Pick<Founding, "organisation" | "workspace"> | undefined;
}

export interface IdentityStore {
  /** Identities of all providers, oldest first. */
  ofMember(memberId: MemberId): Promise<readonly Identity[]>;
  /**
   * Links an identity with an existing member. `replaces` is the member that it was linked with so far, undefined
   * for a new identity; `sessionId` the session that the link ends with, null for none. Returns false and does
   * nothing if the identity is linked with another member by now, there is no such member, or the session has
   * ended.
   */
  link(
    identity: Identity,
    by: { readonly replaces: MemberId | undefined; readonly sessionId: SessionId | null },
    event: AuditEvent,
  ): Promise<boolean>;
  /** Deletes all identities of a member; the event is logged if there were any. */
  unlink(memberId: MemberId, event: AuditEvent): Promise<void>;
  get(issuer: string, subject: string): Promise<Identity | undefined>;
  /**
   * Stores everything with the events, or nothing. "changed": the identity is linked with another member by now, or
   * the invitation is gone. "no plan": the new organisation's plan does not exist.
   */
  join(joining: IdentityJoining, now: number, events: readonly AuditEvent[]): Promise<"joined" | "changed" | "no plan">;
}
