import { exitCodes } from "../exit-codes.ts";
import { CliError } from "../failures.ts";

/** Resolves with the JSON that the server returns for a path. */
export type Ask = (path: string, signal: AbortSignal) => Promise<unknown>;

interface AskOptions {
  readonly server: string;
  readonly apiKey: string;
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Creates a function that asks the server for paths outside the public API. It throws a `CliError` with the server's
 * message, or the error that fetch throws.
 */
export function createAsk({ server, apiKey, fetch = globalThis.fetch }: AskOptions): Ask {
  return async (path, signal) => {
    // The base may have a path, if a proxy serves drs below it.
    const url = `${server.replace(/\/+$/, "")}${path}`;
    const response = await fetch(url, { headers: { "x-api-key": apiKey }, redirect: "error", signal });
    const text = await response.text();
    const answer = parsed(text);
    if (response.ok && answer !== undefined) return answer;
    const isAuth = response.status === 401 || response.status === 403;
    throw new CliError(sentenceIn(answer) ?? `${url} answered ${response.status}`, {
      next: isAuth
        ? "name a key of the operator with --api-key or DRS_API_KEY; that of the first start is in credentials.json of the data folder"
        : response.status === 404
          ? "the server is older than this command, or not drs: look at its version"
          : "",
      exitCode: isAuth ? exitCodes.auth : exitCodes.failed,
    });
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sentenceIn(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return undefined;
  return typeof answer.error === "string" ? answer.error : undefined;
}
