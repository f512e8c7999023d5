import type { MemberId, OrganisationId, SessionId } from "../ids.ts";

/**
 * Links a person of a provider with a member. It outlives the member, so that a removed person does not join again by
 * the domain of an e-mail address.
 */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly organisationId: OrganisationId;
  readonly memberId: MemberId;
  readonly createdAt: number;
}

/** The member that a person of a provider is linked with from now on. */
export interface LinkedMember {
  readonly organisationId: OrganisationId;
  readonly memberId: MemberId;
  /** The session that has begun the linking; the link ends with it. Null if there is none. */
  readonly sessionId: SessionId | null;
}

/**
 * Normalises an e-mail address for comparison: only ASCII letters are lower-cased, since in other alphabets
 * different letters may become the same.
 */
export function comparedEmail(email: string): string {
  return email.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The part after the last @. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}
