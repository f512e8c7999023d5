/**
 * Reasons why a person was not signed in, by their codes in the console's URL (`/?error=…`), with the sentences
 * that it shows: the problem and the next step.
 */
const refusals = {
  provider_unavailable: "the provider that you sign in with cannot be reached; try again in a while",
  provider_refused: "the provider did not sign you in; try again, or ask those who run it",
  provider_answer_invalid: "the provider's answer is not valid; try again, and tell those who run this service",
  attempt_expired: "this sign-in took too long or was begun in another window; sign in again",
  email_unverified: "the provider does not say that your e-mail address is verified; verify it there and sign in again",
  not_invited: "you are not a member here; ask an admin of your organisation for an invitation to your e-mail address",
  invited:
    "an organisation has invited you; open the link of the invitation to join it, or sign up for an organisation of your own",
  removed: "you were removed from the organisation; ask an admin of it for a new invitation",
  no_role: "none of your groups has a role here; ask those who run this service",
  linked_elsewhere: "this sign-in belongs to another member; sign out at the provider and choose another account there",
  misconfigured: "this service is not set up to let you join; ask those who run it",
} as const;

export type RefusalCode = keyof typeof refusals;

/** Thrown if a person is not signed in. */
export class SignInRefusal extends Error {
  readonly code: RefusalCode;
  /** For the log: no secrets, and nothing about the person except the provider's identifier. */
  readonly reason: string;
  /** The path of the console that shows it. */
  readonly shownAt: string;

  constructor(code: RefusalCode, reason = "", shownAt = "/") {
    super(refusals[code]);
    this.name = "SignInRefusal";
    this.code = code;
    this.reason = reason;
    this.shownAt = shownAt;
  }
}
