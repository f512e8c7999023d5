import type { SignedIn } from "../sessions/session.ts";
import type { LinkedMember } from "../sign-in/identity.ts";

/** Signs people in who have proven to a provider who they are. */
export interface ProviderSignIn {
  readonly providerName: string;
  /** Who is not invited founds an organisation. */
  readonly signUp: boolean;
  /**
   * `attempt` is for the browser that begins, and for nobody else: it is asked for at the end. `returnTo`: where the browser
   * goes then. Throws `SignInRefusal`.
   */
  begin(input: BeginInput): Promise<Begun>;
  /**
   * `address`: where the browser came back to, with its query. No session begins where the person was linked with a member, who
   * has one. Throws `SignInRefusal`.
   */
  finish(input: FinishInput): Promise<{ readonly signedIn: SignedIn | undefined; readonly returnTo: string }>;
}

interface BeginInput {
  readonly redirectUri: string;
  readonly returnTo: string;
  /** The member that the person is to be from now on; undefined: the person signs in. */
  readonly link?: LinkedMember;
  /** The person wants an organisation of their own, whoever invites them. Default: false. */
  readonly isFounding?: boolean;
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
