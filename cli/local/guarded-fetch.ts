import { isUnproven } from "./proven-fetch.ts";

/** Where the server of a data folder is, and what sends requests to nothing else. */
export interface Place {
  readonly url: string;
  readonly fetch: typeof fetch;
}

/** How requests find the server of a data folder, wherever it is by now. */
export interface Route {
  /** Where it is, looked up just now; starts the server where that is due. */
  present(): Promise<Place>;
  /** Whether a request goes to that server; links carry the address that it had when it made them. */
  leadsThere(origin: string): boolean;
  /** Whether the server at the address is still the one that has the folder. */
  isThere(url: string): boolean;
}

/**
 * A fetch that sends nothing, least of all a key, to anything but the server of the data folder. When the server goes, requests that have surely not been carried out, or change nothing, are sent to its successor.
 */
export function createGuardedFetch({ present, leadsThere, isThere }: Route): typeof fetch {
  return async (input, init) => {
    if (input instanceof Request) return fetch(input, init);
    const wanted = new URL(input);
    if (!leadsThere(wanted.origin)) return fetch(wanted, init);
    for (let isRetry = false; ; isRetry = true) {
      const at = await present();
      const mayRepeat = !isRetry && isRepeatable(init?.body);
      try {
        const response = await at.fetch(new URL(wanted.pathname + wanted.search, at.url), init);
        if (response.status !== 503 || !mayRepeat || isThere(at.url)) return response;
        // It was on its way out and has done nothing.
        await response.body?.cancel();
      } catch (cause) {
        const isHarmless = isRefused(cause) || isUnproven(cause) || changesNothing(wanted, init?.method);
        if (!mayRepeat || !isHarmless || isThere(at.url)) throw cause;
      }
    }
  };
}

/** A stream has been read when the first request has failed. */
function isRepeatable(body: unknown): boolean {
  return body === undefined || body === null || typeof body === "string" || body instanceof Uint8Array;
}

function isRefused(cause: unknown): boolean {
  return (
    cause instanceof Error &&
    cause.cause instanceof Error &&
    "code" in cause.cause &&
    cause.cause.code === "ECONNREFUSED"
  );
}

/** By the verbs of HTTP, and by those of the service's methods, which are all sent with POST. */
function changesNothing({ pathname }: URL, method = "GET"): boolean {
  return method === "GET" || method === "HEAD" || /\/(?:Get|List|Search|Watch)[A-Za-z]*$/.test(pathname);
}
