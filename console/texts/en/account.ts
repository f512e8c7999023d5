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
  sessionsAbout: "End the sessions that you do not recognise. A session also ends after a week without use.",
  browser: "Browser",
  unknownBrowser: "Unknown browser",
  begun: "Since",
  used: "Last used",
  actions: "Actions",
  end: "End",
  current: "This browser",
  endTitle: (browser: string) => `End the session in ${browser}?`,
  endAbout:
    "That browser is signed out with its next request. Devices that it approved are signed out too, and accounts at the provider that it linked are unlinked.",
  ended: "The session has ended.",
  tokens: "Personal tokens",
  tokensAbout:
    "Terminals and programs sign in as you with them. End those of devices that you no longer have; keep one to sign in with.",
  madeFor: "Created for",
  ofJoining: "You, when you joined",
  made: "Created",
  tokenEndTitle: (device: string | null) => (device === null ? "End your own token?" : `End the token of ${device}?`),
  tokenEndAbout:
    "Programs that sign in with it are rejected from then on. This cannot be undone. Browsers stay signed in: end their sessions above.",
  tokenEnded: "The token no longer works.",
  provider: "Sign-in with the provider",
  providerAbout: (provider: string) =>
    `Link your membership to an account at ${provider}, and sign in with that account from then on.`,
  linked: "Linked",
  link: (provider: string) => `Link an account at ${provider}`,
  unlink: "Unlink",
  unlinkTitle: (provider: string) => `Unlink from ${provider}?`,
  unlinkAbout:
    "You cannot sign in with the provider until you link an account again. Keep a personal token to sign in with.",
  unlinked: "You can no longer sign in with the provider.",
};

export const signIn = {
  title: "Pages, not files",
  about: "drs keeps large documents and finds the pages that answer a question, by their words and by how they look.",
  credential: "Personal token or API key",
  hint: "You get one from whoever runs this service. On the server's machine, drs open signs you in.",
  submit: "Sign in",
  wrong: "This is not a token or key of this service, or it has expired.",
  with: (provider: string) => `Sign in with ${provider}`,
  or: "or",
  found: "Start an organisation of your own",
  /** Sentences by the error code in the address after a failed sign-in with a provider. */
  refusals: {
    provider_unavailable: "The provider that you sign in with cannot be reached. Try again in a moment.",
    provider_refused: "The provider did not sign you in. Try again, or ask those who run it.",
    provider_answer_invalid: "The answer of the provider is not valid. Try again, and tell those who run this service.",
    attempt_expired: "This sign-in took too long, or was started in another window. Sign in again.",
    email_unverified:
      "The provider does not say that your e-mail address is verified. Verify it there and sign in again.",
    not_invited:
      "You are not a member here. Ask an administrator of your organisation for an invitation to your e-mail address.",
    invited:
      "An organisation has invited you. To join it, open the link of its invitation; whoever sent it can create another one.",
    removed: "You were removed from the organisation. Ask an administrator of it for a new invitation.",
    no_role: "None of your groups has a role here. Ask those who run this service.",
    linked_elsewhere: "This account at the provider belongs to another member. Sign out there and choose another one.",
    misconfigured: "This service is not set up to let you join. Ask those who run it.",
  },
  again: "Sign in again",
  againAbout:
    "You signed in a while ago, and this grants lasting access. Sign in again, then repeat it within five minutes.",
  againDone: "You are signed in. Now repeat what you wanted to do.",
  codeAsks: (name: string, organisation: string) => `Sign in as ${name} of ${organisation}?`,
  codeAbout:
    "Continue only if you asked for this yourself, for example with drs open. Otherwise whoever sent you here sees what you upload and search for.",
  codeReplaces: (name: string, organisation: string) =>
    `You are signed in as ${name} of ${organisation}. That session ends in this browser.`,
  aKey: "an API key",
  codeExpired: "The link to sign in has expired or was used before. Sign in here, or ask for another link.",
};

export const join = {
  title: "Invitation",
  to: (organisation: string) => `Join ${organisation}`,
  as: (role: string, means: string) => `You are invited as: ${role} (${means}).`,
  roleMeans: {
    owner: "everything, including owners and the audit log",
    admin: "everything except owners and the audit log",
    member: "reads, searches and changes documents",
    viewer: "reads and searches",
  },
  until: (time: string) => `The invitation can be used once, until ${time}.`,
  replaces: "Somebody is already signed in with this browser. Joining signs in the new member instead.",
  name: "Your name",
  nameHint: "Others in the organisation see it.",
  submit: "Join",
  joined: "You are a member now, and signed in with this browser.",
  token: "Your personal token",
  tokenNext: "Keep it like a password: with it you sign in again, here and in a terminal. It is not shown again.",
  goOn: "Open the console",
  invalid: "This invitation does not work",
  invalidNext:
    "It is not valid, has expired, was revoked or has already been used. Ask whoever invited you for a new one. If you have already joined, sign in.",
  missing: "No invitation found",
  missingNext: "Open the complete link that you were given again: the invitation is the part after the #.",
  toSignIn: "Go to sign-in",
};

export const device = {
  title: "Sign in a device",
  about:
    "A terminal that signs in shows a code of eight letters. Enter it here, and compare the codes before you approve it.",
  code: "Code",
  look: "Find device",
  unknown: "No device is waiting with this code. It may have expired: start again on the device.",
  asks: (name: string) => `${name} wants to sign in as you`,
  compare: "Approve it only if you started this yourself and the device shows exactly this code:",
  approve: "Approve",
  deny: "Deny",
  approved: "The device is signed in. You can close this page.",
  denied: "The device was denied.",
  needsMember: "An API key cannot approve devices",
  needsMemberNext: "Sign out, and sign in with your personal token or your provider.",
};
