import type { SignedIn } from "../sessions/session.ts";
import type { LinkedMember } from "../sign-in/identity.ts";

/** Signs in people whose identity a provider has confirmed. */
export interface ProviderSignIn {
  readonly providerName: string;
  /** Whether a person without an invitation creates an organisation. */
  readonly signUp: boolean;
  /**
   * Begins a sign-in. `attempt` is only for the browser that begins, and is required at the end; `returnTo` is
   * where the browser goes then. Throws `SignInRefusal`.
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
