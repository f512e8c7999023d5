import { randomInt } from "node:crypto";
import type { DeviceCodeId, MemberId, OrganisationId, SessionId } from "../ids.ts";

/**
 * A device that waits for a person to approve its sign-in. Only the SHA-256 (hexadecimal) of its secret is stored.
 */
export interface DeviceCode {
  readonly id: DeviceCodeId;
  /** The code that the person compares, as `newUserCode` makes it. */
  readonly userCode: string;
  readonly secretSha256: string;
  readonly name: string;
  /** Origin of the request: an IP address or its network. */
  readonly network: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** When the device last polled; null for never. */
  readonly polledAt: number | null;
  /** Null until the person has answered. */
  readonly answer: "approved" | "denied" | null;
  /** The member who answered. */
  readonly memberId: MemberId | null;
  readonly organisationId: OrganisationId | null;
  /** The session that approved; the token ends with it. Null if there is none. */
  readonly sessionId: SessionId | null;
}

/** Long enough to sign in at a provider first. */
export const deviceCodeMs = 600_000;
/** RFC 8628, section 3.5: the polling interval of a device that is not given another. */
export const pollIntervalMs = 5_000;
/**
 * Maximum number of waiting devices, because anybody can begin a sign-in. Beyond it, devices of the network with the
 * most waiting devices are dropped.
 */
export const maxWaiting = 10_000;

/** RFC 8628, section 6.1: consonants that are not mistaken for one another and form no words. 34 bits. */
const letters = "BCDFGHJKLMNPQRSTVWXZ";

export function newUserCode(): string {
  const half = (): string => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join("");
  return `${half()}-${half()}`;
}

/** The stored form of a code, however it was typed. */
export function typedUserCode(text: string): string {
  const bare = text.toUpperCase().replace(/[^A-Z]/g, "");
  return `${bare.slice(0, 4)}-${bare.slice(4)}`;
}
