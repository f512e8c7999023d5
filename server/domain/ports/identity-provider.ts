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
