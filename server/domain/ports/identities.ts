import type { AuditEvent } from "../audit/event.ts";
import type { InvitationId, MemberId } from "../ids.ts";
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
  get(issuer: string, subject: string): Promise<Identity | undefined>;
  /**
   * All of it, with the events, or nothing. "changed": the identity means another member by now, or the invitation is gone.
   * "no plan": there is none of the new organisation's.
   */
  join(joining: IdentityJoining, now: number, events: readonly AuditEvent[]): Promise<"joined" | "changed" | "no plan">;
}
