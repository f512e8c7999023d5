import { isUnproven } from "./proven-fetch.ts";

/** The address of a data folder's server, and a fetch that sends requests to that server only. */
export interface Place {
  readonly url: string;
  readonly fetch: typeof fetch;
}

/** Finds the current address of a data folder's server, which can change. */
export interface Route {
  /** Returns where the server is now; starts it if necessary. */
  present(): Promise<Place>;
  /** Whether a request goes to that server; links carry the address that the server had when it made them. */
  leadsThere(origin: string): boolean;
  /** Whether the server at the address is still the one that has the folder. */
  isThere(url: string): boolean;
}

/**
 * Creates a fetch that sends nothing, least of all a key, to anything but the server of the data folder. When the
 * server goes away, requests that certainly have not been carried out, or that change nothing, are sent to its
 * successor.
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
        // The server was shutting down and has done nothing.
        await response.body?.cancel();
      } catch (cause) {
        const isHarmless = isRefused(cause) || isUnproven(cause) || changesNothing(wanted, init?.method);
        if (!mayRepeat || !isHarmless || isThere(at.url)) throw cause;
      }
    }
  };
}

/** A stream cannot be sent twice. */
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

/** Decides by the HTTP method, and by the names of the service's RPC methods, which are all sent with POST. */
function changesNothing({ pathname }: URL, method = "GET"): boolean {
  return method === "GET" || method === "HEAD" || /\/(?:Get|List|Search|Watch)[A-Za-z]*$/.test(pathname);
}
