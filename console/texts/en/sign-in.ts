export const signIn = {
  title: "Pages, not files",
  about: "drs keeps large documents and finds the pages that answer a question, by their words and by how they look.",
  credential: "Personal token or API key",
  hint: "Whoever runs this service gives you one. On its own machine, drs open signs you in.",
  submit: "Sign in",
  wrong: "This is no token or key of this service, or it has expired.",
  codeExpired: "The link to sign in has expired or was used before. Sign in here, or ask for another link.",
};
