/** What a sign-in is begun with, and needs at its end: it must not leave the browser that begins it. */
export interface Challenge {
  readonly state: string;
  readonly nonce: string;
  /** PKCE (RFC 7636). */
  readonly codeVerifier: string;
}

/** Who a person is by the word of the provider. */
export interface Person {
  /** With `subject` the only lasting name of a person: addresses change hands. */
  readonly issuer: string;
  readonly subject: string;
  /** The e-mail address, if the provider says that it is the person's; undefined: it does not. */
  readonly verifiedEmail: string | undefined;
  /** Undefined: the provider says none. */
  readonly name: string | undefined;
  readonly groups: readonly string[];
}

/** Where people sign in. Both methods throw `SignInRefusal`. */
export interface IdentityProvider {
  /** What people know it by. */
  readonly name: string;
  /** Where the browser goes, to come back to `redirectUri`. */
  begin(redirectUri: string): Promise<{ readonly address: string; readonly challenge: Challenge }>;
  /** Checks what the browser came back with: `address` is the whole address with its query. */
  finish(address: string, challenge: Challenge): Promise<Person>;
}
