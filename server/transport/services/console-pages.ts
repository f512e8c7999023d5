import { unprocessable } from "../../domain/errors.ts";

/** What is at the server's address beside its services. */
export interface Face {
  readonly hasConsole: boolean;
}

/** Refuses what would lead people to a page of the console that is not there. */
export function requirePages({ hasConsole }: Face): void {
  if (hasConsole) return;
  throw unprocessable(
    "this server has no web console, because it runs with --console off; sign in with a token or an API key",
  );
}
