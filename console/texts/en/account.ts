export const account = {
  title: "Account",
  member: "Member",
  key: "API key",
  role: "Role",
  roles: { owner: "Owner", admin: "Administrator", member: "Member", viewer: "Viewer" },
  scopes: "Permissions",
  organisation: "Organisation",
  workspace: "Workspace",
  sessions: "Signed-in browsers",
  sessionsAbout: "End those that you do not know. A session also ends when it has not been used for a week.",
  browser: "Browser",
  unknownBrowser: "Unknown browser",
  begun: "Since",
  used: "Last used",
  actions: "Actions",
  end: "End",
  current: "This browser",
  endTitle: (browser: string) => `End the session in ${browser}?`,
  endAbout:
    "Whoever uses that browser is signed out with the next click. What it let in ends too: devices that it approved and accounts at the provider that it linked.",
  ended: "The session has ended.",
  tokens: "Personal tokens",
  tokensAbout:
    "With them terminals and programs sign in as you. End those of devices that you do not have any more; keep one to sign in with.",
  madeFor: "Made for",
  ofJoining: "You, when you joined",
  made: "Made",
  tokenEndTitle: (device: string | null) => (device === null ? "End your own token?" : `End the token of ${device}?`),
  tokenEndAbout:
    "Programs that sign in with it are refused from then on, and it cannot be brought back. Browsers stay signed in: end their sessions above.",
  tokenEnded: "The token is refused from now on.",
  provider: "Sign-in with the provider",
  providerAbout: (provider: string) =>
    `Link this member with an account at ${provider}, and sign in with that from then on.`,
  linked: "Linked",
  link: (provider: string) => `Link an account at ${provider}`,
  unlink: "Unlink",
  unlinkTitle: (provider: string) => `Unlink from ${provider}?`,
  unlinkAbout:
    "The provider signs you in no more until you link an account again. Have a personal token to sign in with.",
  unlinked: "The provider signs you in no more.",
};

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
    provider_answer_invalid: "The answer of the provider is not valid. Try again, and tell those who run this service.",
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

export const join = {
  title: "Invitation",
  to: (organisation: string) => `Join ${organisation}`,
  as: (role: string, means: string) => `You are invited as: ${role} (${means}).`,
  roleMeans: {
    owner: "everything, owners and the audit log too",
    admin: "everything but owners and the audit log",
    member: "reads, searches and changes documents",
    viewer: "reads and searches",
  },
  until: (time: string) => `The invitation is good once, until ${time}.`,
  replaces: "Somebody is signed in with this browser already. Joining signs the new member in instead.",
  name: "Your name",
  nameHint: "Others in the organisation see it.",
  submit: "Join",
  joined: "You are a member now, and signed in with this browser.",
  token: "Your personal token",
  tokenNext: "Keep it like a password: with it you sign in again, here and in a terminal. It is not shown again.",
  goOn: "Open the console",
  invalid: "This invitation does not work",
  invalidNext:
    "It is not valid, has expired, was taken back or has been used. Ask whoever invited you for a new one. If you have joined already, sign in.",
  missing: "Here is no invitation",
  missingNext: "Open the whole link that you were given once more: the invitation is its part behind the #.",
  toSignIn: "Go to the sign-in",
};

export const device = {
  title: "Let a device in",
  about: "A terminal that signs in shows a code of eight letters. Enter it here, and compare before you let it in.",
  code: "Code",
  look: "Look it up",
  unknown: "No device waits with this code. It may have expired: start again on the device.",
  asks: (name: string) => `${name} wants to sign in as you`,
  compare: "Let it in only if you began this yourself, and the device shows this very code:",
  approve: "Let it in",
  deny: "Turn it away",
  approved: "The device is signed in. You can close this page.",
  denied: "The device was turned away.",
  needsMember: "An API key lets no device in",
  needsMemberNext: "Sign out, and sign in with your personal token or your provider.",
};
