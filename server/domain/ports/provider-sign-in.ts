import type { SignedIn } from "../sessions/session.ts";

/** Signs people in who have proven to a provider who they are. */
export interface ProviderSignIn {
  readonly providerName: string;
  /** Who is not invited founds an organisation. */
  readonly signUp: boolean;
  /**
   * `attempt` is for the browser that begins, and for nobody else: it is asked for at the end. `returnTo`: where the browser
   * goes then. Throws `SignInRefusal`.
   */
  begin(input: { readonly redirectUri: string; readonly returnTo: string }): Promise<Begun>;
  /** `address`: where the browser came back to, with its query. Throws `SignInRefusal`. */
  finish(input: FinishInput): Promise<SignedIn & { readonly returnTo: string }>;
}

interface Begun {
  readonly address: string;
  readonly attempt: string;
  readonly expiresAt: number;
}

interface FinishInput {
  readonly address: string;
  /** Undefined: the browser has none. */
  readonly attempt: string | undefined;
  /** What the browser calls itself. */
  readonly agent: string;
}
