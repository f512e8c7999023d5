import { type DomainError, unauthenticated } from "../errors.ts";
import type { KeyId, MemberId, OrganisationId, SessionId, SignInCodeId } from "../ids.ts";

/** Whom a session stands for: it is as good as a personal token of the member, or as the API key, for as long as those are. */
export type Holder =
  | { readonly kind: "member"; readonly memberId: MemberId }
  | { readonly kind: "key"; readonly keyId: KeyId };

/**
 * A signed-in browser. It proves itself with two secrets, of which only the SHA-256 (hexadecimal) is kept: cookies reach the
 * servers on all ports of a host, and what a page keeps reaches pages of its own origin alone.
 */
export interface Session {
  readonly id: SessionId;
  readonly organisationId: OrganisationId;
  readonly holder: Holder;
  /** Of the secret in its cookie. */
  readonly secretSha256: string;
  /** Of the secret that its pages keep; null: an earlier version has begun it, and it counts no more. */
  readonly pageSecretSha256: string | null;
  /** What the browser called itself; empty: nothing. */
  readonly agent: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  /** It ends then at the latest. */
  readonly expiresAt: number;
}

/** A session that has just begun. */
export interface SignedIn {
  readonly session: Session;
  /** What its browser sends from now on in the cookie; in this answer only. */
  readonly secret: string;
  /** What its pages send from now on; in this answer only. */
  readonly pageSecret: string;
}

/** What a browser proves with that it has a session. */
export interface SessionProof {
  readonly secret: string;
  readonly pageSecret: string;
}

/** Lets a browser sign in as its holder, once. Of its secret only the SHA-256 (hexadecimal) is kept. */
export interface SignInCode {
  readonly id: SignInCodeId;
  readonly organisationId: OrganisationId;
  readonly holder: Holder;
  readonly secretSha256: string;
  readonly expiresAt: number;
}

const dayMs = 86_400_000;
/** A session ends after so long, however much it is used. */
export const sessionMs = 30 * dayMs;
/** It ends earlier if it is not used for so long. */
export const idleMs = 7 * dayMs;
/** As long as a browser may take to start. */
export const codeMs = 60_000;

/** For so long a sign-in proves that its owner is there. Long enough to fill in a form. */
export const freshMs = 5 * 60_000;

export function isFresh({ createdAt }: Pick<Session, "createdAt">, now: number): boolean {
  return now < createdAt + freshMs;
}

export function isOpen({ createdAt, lastUsedAt, expiresAt }: Session, now: number): boolean {
  return now < expiresAt && now < (lastUsedAt ?? createdAt) + idleMs;
}

export const sessionEnded = (): DomainError =>
  unauthenticated("this session has ended; sign in again", { reason: "SESSION_ENDED" });
