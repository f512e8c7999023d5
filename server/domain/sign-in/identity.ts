import type { MemberId, OrganisationId, SessionId } from "../ids.ts";

/**
 * Which member a person of a provider is. It outlives the member: who was removed does not join again by the domain of an
 * address.
 */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly organisationId: OrganisationId;
  readonly memberId: MemberId;
  readonly createdAt: number;
}

/** The member that a person of a provider is to be from now on. */
export interface LinkedMember {
  readonly organisationId: OrganisationId;
  readonly memberId: MemberId;
  /** The session that has begun it, with which the link ends; null: none has. */
  readonly sessionId: SessionId | null;
}
