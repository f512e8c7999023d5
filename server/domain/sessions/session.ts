import { type DomainError, unauthenticated } from "../errors.ts";
import type { KeyId, MemberId, OrganisationId, SessionId, SignInCodeId } from "../ids.ts";

/**
 * The holder of a session, which has the powers of a personal token of the member, or of the API key, for as long
 * as those are valid.
 */
export type Holder =
  | { readonly kind: "member"; readonly memberId: MemberId }
  | { readonly kind: "key"; readonly keyId: KeyId };

/**
 * A signed-in browser. It proves itself with two secrets, of which only the SHA-256 (hexadecimal) is stored. Two
 * are needed because cookies reach the servers on all ports of a host, whereas the storage of a page is only for
 * its own origin.
 */
export interface Session {
  readonly id: SessionId;
  readonly organisationId: OrganisationId;
  readonly holder: Holder;
  /** Hash of the secret in its cookie. */
  readonly secretSha256: string;
  /** Hash of the secret that its pages store. */
  readonly pageSecretSha256: string;
  /** The browser's user agent; may be empty. */
  readonly agent: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  /** The session ends at this time at the latest. */
  readonly expiresAt: number;
}

/** A session that has just begun. */
export interface SignedIn {
  readonly session: Session;
  /** Sent by the browser from now on in the cookie; only this answer has it. */
  readonly secret: string;
  /** Sent by its pages from now on; only this answer has it. */
  readonly pageSecret: string;
}

/** The secrets by which a browser proves its session. */
export interface SessionProof {
  readonly secret: string;
  readonly pageSecret: string;
}

/**
 * A single-use code that signs a browser in as its holder. Only the SHA-256 (hexadecimal) of its secret is stored.
 */
export interface SignInCode {
  readonly id: SignInCodeId;
  readonly organisationId: OrganisationId;
  readonly holder: Holder;
  readonly secretSha256: string;
  readonly expiresAt: number;
}

const dayMs = 86_400_000;
/** A session ends after this time, however much it is used. */
export const sessionMs = 30 * dayMs;
/** A session ends earlier if it is not used for this time. */
export const idleMs = 7 * dayMs;
/** Long enough for a browser to start. */
export const codeMs = 60_000;

/** How long a sign-in proves that its owner is present; long enough to fill in a form. */
export const freshMs = 5 * 60_000;

export function isFresh({ createdAt }: Pick<Session, "createdAt">, now: number): boolean {
  return now < createdAt + freshMs;
}

export function isOpen({ createdAt, lastUsedAt, expiresAt }: Session, now: number): boolean {
  return now < expiresAt && now < (lastUsedAt ?? createdAt) + idleMs;
}

export const sessionEnded = (): DomainError =>
  unauthenticated("this session has ended; sign in again", { reason: "SESSION_ENDED" });
