import type { SignedIn } from "../sessions/session.ts";
import type { LinkedMember } from "../sign-in/identity.ts";

/** The secrets of a sign-in, from its beginning to its end; they must not leave the browser that begins it. */
export interface Challenge {
  readonly state: string;
  readonly nonce: string;
  /** PKCE (RFC 7636). */
  readonly codeVerifier: string;
}

/** A person as the provider identifies them. */
export interface Person {
  /** Together with `subject`, the only lasting identifier of a person: e-mail addresses change hands. */
  readonly issuer: string;
  readonly subject: string;
  /** The e-mail address if the provider has verified it; otherwise undefined. */
  readonly verifiedEmail: string | undefined;
  /** Undefined if the provider does not give a name. */
  readonly name: string | undefined;
  readonly groups: readonly string[];
}

/** A provider where people sign in. Both methods throw `SignInRefusal`. */
export interface IdentityProvider {
  /** The name that people know it by. */
  readonly name: string;
  /** Returns the URL for the browser, which comes back to `redirectUri`. */
  begin(redirectUri: string): Promise<{ readonly address: string; readonly challenge: Challenge }>;
  /** Checks the URL that the browser came back with; `address` is the whole URL with its query. */
  finish(address: string, challenge: Challenge): Promise<Person>;
}

/** Signs in people whose identity a provider has confirmed. */
export interface ProviderSignIn {
  readonly providerName: string;
  /** Whether a person without an invitation creates an organisation. */
  readonly signUp: boolean;
  /**
   * Begins a sign-in. `attempt` is for the browser that begins it and nobody else; `finish` requires it. The browser
   * goes to `returnTo` in the end. Throws `SignInRefusal`.
   */
  begin(input: BeginInput): Promise<Begun>;
  /**
   * Ends a sign-in. `address` is the URL that the browser came back with, with its query. No session begins if the
   * person was linked with a member, who has one already. Throws `SignInRefusal`.
   */
  finish(input: FinishInput): Promise<{ readonly signedIn: SignedIn | undefined; readonly returnTo: string }>;
}

interface BeginInput {
  readonly redirectUri: string;
  readonly returnTo: string;
  /** The member to link the person with; undefined if the person signs in. */
  readonly link?: LinkedMember;
  /** Whether the person wants an organisation of their own, even if invited. Default: false. */
  readonly isFounding?: boolean;
}

interface Begun {
  readonly address: string;
  readonly attempt: string;
  readonly expiresAt: number;
}

interface FinishInput {
  readonly address: string;
  /** Undefined if the browser has none. */
  readonly attempt: string | undefined;
  /** The browser's user agent. */
  readonly agent: string;
}
