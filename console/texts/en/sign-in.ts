export const signIn = {
  title: "Pages, not files",
  about: "drs keeps large documents and finds the pages that answer a question, by their words and by how they look.",
  credential: "Personal token or API key",
  hint: "Whoever runs this service gives you one. On its own machine, drs open signs you in.",
  submit: "Sign in",
  wrong: "This is no token or key of this service, or it has expired.",
  with: (provider: string) => `Sign in with ${provider}`,
  or: "or",
  found: "Start an organisation of your own",
  /** By the error in the address after a failed sign-in with a provider. */
  refusals: {
    provider_unavailable: "The provider that you sign in with cannot be reached. Try again in a while.",
    provider_refused: "The provider did not sign you in. Try again, or ask those who run it.",
    provider_answer_invalid:
      "What the provider answered does not hold. Try again, and tell those who run this service.",
    attempt_expired: "This sign-in took too long, or was begun in another window. Sign in again.",
    email_unverified:
      "The provider does not say that your e-mail address is verified. Verify it there and sign in again.",
    not_invited:
      "You are not a member here. Ask an administrator of your organisation for an invitation to your e-mail address.",
    invited:
      "An organisation has invited you. To join it, open the link of its invitation; whoever has sent it can make another one.",
    removed: "You were removed from the organisation. Ask an administrator of it for a new invitation.",
    no_role: "None of your groups has a role here. Ask those who run this service.",
    linked_elsewhere: "This account at the provider belongs to another member. Sign out there and choose another one.",
    misconfigured: "This service is not set up to let you join. Ask those who run it.",
  },
  again: "Sign in again",
  againAbout:
    "You signed in a while ago, and this gives access that lasts. Sign in again, and then repeat it. That counts for five minutes.",
  againDone: "You are signed in. Now repeat what you wanted to do.",
  codeAsks: (name: string, organisation: string) => `Sign in as ${name} of ${organisation}?`,
  codeAbout:
    "Only if you have asked for this yourself, as with drs open. Otherwise whoever led you here sees what you upload and search.",
  codeReplaces: (name: string, organisation: string) =>
    `You are signed in as ${name} of ${organisation}. That ends in this browser.`,
  aKey: "an API key",
  codeExpired: "The link to sign in has expired or was used before. Sign in here, or ask for another link.",
};
