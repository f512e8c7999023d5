import type { CallOptions, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { addressAt } from "./address.ts";
import { idempotencyHeader } from "./idempotency-key.ts";
import { errorFromCall, errorFromResponse, isNetworkFailure, unreachable } from "./errors.ts";

export interface DrsOptions {
  /** Where the service listens: "http://127.0.0.1:8420". */
  readonly server: string;
  /** Not needed for share links only. */
  readonly apiKey?: string | undefined;
  /** Id or name of the workspace that a personal token calls in; default: the organisation's oldest. */
  readonly workspace?: string | undefined;
  /** Calls with the session that the browser of a page of the service's own is signed in with, in place of a key. */
  readonly session?: PageSession | undefined;
  /** Used for every request; default: the runtime's own. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Carries the calls in place of Connect over fetch, for example gRPC; uploads and downloads still use fetch. */
  readonly transport?: Transport | undefined;
  /** Longest time for one call in milliseconds, streams, uploads and downloads excepted; default 60,000. */
  readonly timeoutMs?: number | undefined;
}

/** Where a page of the service's own keeps the secret without which the cookie of its session does not count. */
export interface PageSession {
  /** "": none is kept. */
  read(): string;
  /** Keeps that of the session that has begun. */
  keep(secret: string): void;
}

/** What every method takes beside its input. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

/** What every method takes that creates something. */
export interface CreateOptions extends RequestOptions {
  /**
   * 1 to 255 visible ASCII characters: a repetition of the same request with the same key within 24 hours gets the
   * first answer, and nothing is created twice. Default: a key of this call's own, kept while the call tries again.
   */
  readonly idempotencyKey?: string | undefined;
}

/** How the methods reach the service. */
export interface Connection {
  /** Without a slash at the end. */
  readonly server: string;
  readonly transport: Transport;
  /** Runs one call; its failures become `DrsError`. An aborted call rejects with the reason of its signal. */
  call<Result>(run: (options: CallOptions) => Promise<Result>, options?: CreateOptions): Promise<Result>;
  /** Options of a call that streams: no time limit. */
  streaming(options?: RequestOptions): CallOptions;
  /** Fetches a path of the service, or a complete address. Anything but success is a `DrsError`. */
  request(address: string, init?: RequestInit & { readonly withKey?: boolean }): Promise<Response>;
  /** The failure of a call or a stream as the caller shall see it. */
  failure(cause: unknown, options?: RequestOptions): unknown;
  /** Says who calls, and in which workspace; for requests that go neither through `call` nor `request`. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Undefined: calls go with a key, or with nothing. */
  readonly session: PageSession | undefined;
  /** As given in the options; undefined: the runtime's own. */
  readonly customFetch: typeof globalThis.fetch | undefined;
}

const defaultTimeoutMs = 60_000;

export function connect({
  server,
  apiKey,
  workspace,
  session,
  fetch: customFetch,
  transport,
  timeoutMs = defaultTimeoutMs,
}: DrsOptions): Connection {
  const address = server.replace(/\/+$/, "");
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new TypeError(`server must be an http or https address such as http://127.0.0.1:8420, not "${server}"`);
  }
  const fetchAny = customFetch ?? ((...request: Parameters<typeof globalThis.fetch>) => globalThis.fetch(...request));
  const credentials = (): Record<string, string> => ({
    ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
    ...(workspace === undefined ? {} : { "x-workspace": workspace }),
    // Before there is a session the header says that the page is the service's own.
    ...(session === undefined ? {} : { "x-drs-console": session.read() || "1" }),
  });

  const streaming = ({ signal }: RequestOptions = {}): CallOptions => ({
    headers: credentials(),
    ...(signal === undefined ? {} : { signal }),
  });
  const failure = (cause: unknown, { signal }: RequestOptions = {}): unknown =>
    signal?.aborted === true ? signal.reason : errorFromCall(cause, address);

  return {
    server: address,
    get credentials() {
      return credentials();
    },
    session,
    customFetch,
    transport: transport ?? createConnectTransport({ baseUrl: address, fetch: fetchAny, useBinaryFormat: true }),
    streaming,
    failure,
    async call(run, options = {}) {
      options.signal?.throwIfAborted();
      try {
        const headers = { ...credentials(), ...idempotencyHeader(options.idempotencyKey) };
        return await run({ ...streaming(options), headers, timeoutMs });
      } catch (cause) {
        throw failure(cause, options);
      }
    },
    async request(path, { withKey = true, headers, ...init } = {}) {
      const url = addressAt(address, path);
      const all = new Headers(headers);
      if (withKey) for (const [name, value] of Object.entries(credentials())) all.set(name, value);
      let response: Response;
      try {
        // A redirect would take the key along to wherever it leads.
        response = await fetchAny(url, { ...(withKey && { redirect: "error" }), ...init, headers: all });
      } catch (cause) {
        throw init.signal?.aborted === true
          ? init.signal.reason
          : isNetworkFailure(cause)
            ? unreachable(url.origin, cause)
            : cause;
      }
      if (!response.ok) throw await errorFromResponse(response);
      return response;
    },
  };
}
