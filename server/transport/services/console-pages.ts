import { unprocessable } from "../../domain/errors.ts";

/** Features of the server besides its services. */
export interface ServerFeatures {
  readonly hasConsole: boolean;
}

/** Throws `unprocessable` if the call would lead people to the console, and there is none. */
export function requirePages({ hasConsole }: ServerFeatures): void {
  if (hasConsole) return;
  throw unprocessable(
    "this server has no web console, because it runs with --console off; sign in with a token or an API key",
  );
}
