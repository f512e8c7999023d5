import type { AuditEvent } from "../audit/event.ts";
import type { InvitationId, MemberId, SessionId } from "../ids.ts";
import type { Member } from "../members/member.ts";
import type { Identity } from "../sign-in/identity.ts";
import type { Founding } from "./organisations.ts";

/** A person who becomes a member by signing in. */
export interface IdentityJoining {
  readonly identity: Identity;
  readonly member: Member;
  /** The member that the identity was linked with so far; undefined for a new identity. */
  readonly replaces: MemberId | undefined;
  /** The invitation that is used up; undefined if there is none. */
  readonly invitation: InvitationId | undefined;
  /** The organisation to create along; undefined if it exists. */
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
