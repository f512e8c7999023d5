import type { InvitationId, MemberId, OrganisationId, TokenId } from "../ids.ts";

/** Scopes of each role. Owners may also make, change and remove owners, and read the audit log. */
export const roleScopes = {
  owner: ["read", "write", "search", "admin"],
  admin: ["read", "write", "search", "admin"],
  member: ["read", "write", "search"],
  viewer: ["read", "search"],
} as const;

export type MemberRole = keyof typeof roleScopes;

/** A person in an organisation. */
export interface Member {
  readonly id: MemberId;
  readonly organisationId: OrganisationId;
  readonly name: string;
  readonly role: MemberRole;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** A single-use invitation to an organisation. Only the SHA-256 (hexadecimal) of its secret is stored. */
export interface Invitation {
  readonly id: InvitationId;
  readonly organisationId: OrganisationId;
  readonly name: string;
  /**
   * Verified e-mail address, as `comparedEmail` returns it, whose owner may also join by signing in; null if only
   * the token admits.
   */
  readonly email: string | null;
  readonly role: MemberRole;
  readonly secretSha256: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A member's personal token as stored: only the SHA-256 (hexadecimal) of its secret. */
export interface PersonalToken {
  readonly id: TokenId;
  readonly memberId: MemberId;
  /** The device that the token was created for; null if it comes from an invitation. */
  readonly name: string | null;
  readonly secretSha256: string;
  readonly createdAt: number;
}
