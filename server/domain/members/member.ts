import type { InvitationId, MemberId, OrganisationId, TokenId } from "../ids.ts";
import type { MemberRole } from "./role.ts";

/** A person in an organisation. */
export interface Member {
  readonly id: MemberId;
  readonly organisationId: OrganisationId;
  readonly name: string;
  readonly role: MemberRole;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** A single-use invitation to an organisation. Of its secret only the SHA-256 (hexadecimal) is kept. */
export interface Invitation {
  readonly id: InvitationId;
  readonly organisationId: OrganisationId;
  readonly name: string;
  /** Whose verified address this is may join by signing in, as `comparedEmail` has it; null: the token alone lets in. */
  readonly email: string | null;
  readonly role: MemberRole;
  readonly secretSha256: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A member's sign-in, as stored: of its secret only the SHA-256 (hexadecimal) is kept. */
export interface PersonalToken {
  readonly id: TokenId;
  readonly memberId: MemberId;
  /** The device that it was made for; null: none, the member has it of an invitation. */
  readonly name: string | null;
  readonly secretSha256: string;
  readonly createdAt: number;
}
