import type { CallOptions, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { errorFromCall, errorFromResponse, isNetworkFailure, unreachable } from "./errors.ts";

export interface DrsOptions {
  /** Address of the service, such as "http://127.0.0.1:8420". */
  readonly server: string;
  /** API key; not needed for share links only. */
  readonly apiKey?: string | undefined;
  /** Id or name of the workspace for calls with a personal token; default: the organisation's oldest. */
  readonly workspace?: string | undefined;
  /** For pages that the service itself serves: calls with the browser's session instead of a key. */
  readonly session?: PageSession | undefined;
  /** The fetch used for every request; default: the runtime's own. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Transport of the calls, for example gRPC, instead of Connect over fetch; uploads and downloads still use fetch. */
  readonly transport?: Transport | undefined;
  /** Time limit of a call in milliseconds, not for streams, uploads and downloads; default 60,000. */
  readonly timeoutMs?: number | undefined;
}

/** Stores the secret that the service requires in addition to the cookie of a page's session. */
export interface PageSession {
  /** Returns the secret; empty if there is none. */
  read(): string;
  /** Stores the secret of a new session. */
  keep(secret: string): void;
}

/** Options of every method. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Options of every method that creates something. */
export interface CreateOptions extends RequestOptions {
  /**
   * 1 to 255 visible ASCII characters: repeating the same request with the same key within 24 hours returns the first
   * response, and nothing is created twice. Default: a key for this call, which is kept for its retries.
   */
  readonly idempotencyKey?: string | undefined;
}

/** The connection of the methods to the service. */
export interface Connection {
  /** Address without a trailing slash. */
  readonly server: string;
  readonly transport: Transport;
  /** Runs one call. Failures become `DrsError`; an aborted call rejects with the reason of its signal. */
  call<Result>(run: (options: CallOptions) => Promise<Result>, options?: CreateOptions): Promise<Result>;
  /** Returns the options of a streaming call, which has no time limit. */
  streaming(options?: RequestOptions): CallOptions;
  /** Fetches a path of the service, or a complete address. Throws `DrsError` for anything but success. */
  request(address: string, init?: RequestInit & { readonly withKey?: boolean }): Promise<Response>;
  /** Returns the failure of a call or a stream as the caller should see it. */
  failure(cause: unknown, options?: RequestOptions): unknown;
  /** Headers that identify the caller and the workspace, for requests that use neither `call` nor `request`. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Undefined if calls use a key, or nothing. */
  readonly session: PageSession | undefined;
  /** The fetch of the options; undefined for the runtime's own. */
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
    // Even without a session, the header shows that the request comes from the service's own page.
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
        // Following a redirect would send the key to another address.
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

/**
 * Returns the URL of a path of the service, which may itself be below a path of a proxy; a complete address is returned
 * unchanged.
 */
export const addressAt = (server: string, path: string): URL =>
  new URL(path.startsWith("/") ? `${server}${path}` : path);

/** Returns a random UUID (RFC 9562, version 4). Pages without TLS have no `randomUUID`. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Returns the header that makes the service run a request only once; no header without a key. */
export function idempotencyHeader(key: string | undefined): Readonly<Record<string, string>> {
  return key === undefined ? {} : { "idempotency-key": key };
}
