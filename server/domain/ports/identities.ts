import type { AuditEvent } from "../audit/event.ts";
import type { InvitationId, MemberId, SessionId } from "../ids.ts";
import type { Member } from "../members/member.ts";
import type { Identity } from "../sign-in/identity.ts";
import type { Founding } from "./organisations.ts";

/** How a person becomes a member. */
export interface IdentityJoining {
  readonly identity: Identity;
  readonly member: Member;
  /** The member that the identity meant until now; undefined: the identity is new. */
  readonly replaces: MemberId | undefined;
  /** Used up; undefined: the person joins without one. */
  readonly invitation: InvitationId | undefined;
  /** Made along; undefined: the organisation is there. */
  readonly founding: Pick<Founding, "organisation" | "workspace"> | undefined;
}

export interface IdentityStore {
  /** Of whatever provider, oldest first. */
  ofMember(memberId: MemberId): Promise<readonly Identity[]>;
  /**
   * Makes a person a member that is there. `replaces`: the member that the identity meant until now; undefined: it is new.
   * `sessionId`: the session with which the link ends; null: none. False, and nothing is done: the identity means another member
   * by now, there is no such member, or the session has ended.
   */
  link(
    identity: Identity,
    by: { readonly replaces: MemberId | undefined; readonly sessionId: SessionId | null },
    event: AuditEvent,
  ): Promise<boolean>;
  /** Forgets all identities of a member; the event is entered where there were any. */
  unlink(memberId: MemberId, event: AuditEvent): Promise<void>;
  get(issuer: string, subject: string): Promise<Identity | undefined>;
  /**
   * All of it, with the events, or nothing. "changed": the identity means another member by now, or the invitation is gone.
   * "no plan": there is none of the new organisation's.
   */
  join(joining: IdentityJoining, now: number, events: readonly AuditEvent[]): Promise<"joined" | "changed" | "no plan">;
}
