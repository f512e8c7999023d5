import { unprocessable } from "../../domain/errors.ts";

/** What is refused that would lead people to a page that is not there. */
export const noConsole = (): Error =>
  unprocessable(
    "this server has no web console, because it runs with --console off; sign in with a token or an API key",
  );
