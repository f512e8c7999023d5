import { randomInt } from "node:crypto";
import type { DeviceCodeId, MemberId, OrganisationId, SessionId } from "../ids.ts";

/** A device that waits for a person to let it in. Of its secret only the SHA-256 (hexadecimal) is kept. */
export interface DeviceCode {
  readonly id: DeviceCodeId;
  /** What the person compares, as `newUserCode` makes it. */
  readonly userCode: string;
  readonly secretSha256: string;
  readonly name: string;
  /** Where it has begun: an address, or the network of one; null: an earlier version has not noted it. */
  readonly network: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** When it was last asked about; null: never. */
  readonly polledAt: number | null;
  /** Null: the person has not answered. */
  readonly answer: "approved" | "denied" | null;
  /** Who has answered. */
  readonly memberId: MemberId | null;
  readonly organisationId: OrganisationId | null;
  /** The session that has approved, with which the token ends; null: none has. */
  readonly sessionId: SessionId | null;
}

/** Long enough to sign in at a provider first. */
export const deviceCodeMs = 600_000;
/** RFC 8628, section 3.5: what devices keep to that are told nothing else. */
export const pollIntervalMs = 5_000;
/** That are kept at a time, because anybody can begin; beyond it others of the busiest network give way. */
export const maxWaiting = 10_000;

/** RFC 8628, section 6.1: consonants that are not mistaken for one another, and make no words. 34 bits. */
const letters = "BCDFGHJKLMNPQRSTVWXZ";

export function newUserCode(): string {
  const half = (): string => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join("");
  return `${half()}-${half()}`;
}

/** A code as it is kept, however it was typed. */
export function typedUserCode(text: string): string {
  const bare = text.toUpperCase().replace(/[^A-Z]/g, "");
  return `${bare.slice(0, 4)}-${bare.slice(4)}`;
}
