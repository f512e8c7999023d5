import { Code } from "@connectrpc/connect";
import { createDrs, type Drs } from "@drs/client";
import type { Caller } from "../../domain/caller.ts";
import { DomainError, tooLarge } from "../../domain/errors.ts";
import type { Authenticate } from "../../domain/authenticate.ts";
import { credentialIn } from "../access/gate.ts";
import type { Handler } from "../dispatch.ts";
import { HttpError } from "../errors.ts";
import { bodyOf, type Exchange, type RequestRecord } from "../http/exchange.ts";
import type { InternalFetch } from "../http/internal.ts";
import { closeIfEarly } from "../http/linger.ts";
import { sendBody } from "../http/reply.ts";
import type { Admission } from "../limits/admission.ts";
import { countFailedAttempt, type Rates } from "../limits/rates.ts";

/** Answers requests of the Model Context Protocol by calls of a client of the service. */
export interface McpEndpoint {
  /** Maximum bytes of a request's body. */
  readonly maxBodyBytes: number;
  /** Answers a request. `message` is the parsed body; undefined if it is not JSON. */
  answer(request: Request, message: unknown, work: McpWork): Promise<Response>;
}

interface McpWork {
  readonly drs: Drs;
  /** Receives bugs of tools. */
  readonly report: (cause: unknown) => void;
  /** Receives errors of requests that break the protocol. */
  readonly note: (cause: unknown) => void;
}

interface Options {
  readonly mcp: McpEndpoint;
  readonly authenticate: Authenticate;
  readonly rates: Rates | undefined;
  readonly admission: Admission;
  readonly networkOf: (record: RequestRecord) => string | undefined;
  readonly internalFetch: InternalFetch;
  /** Aborted early at shutdown, for streams that would not end by themselves. */
  readonly softStop: AbortSignal;
  readonly hardStop: AbortSignal;
  /**
   * Origin of web pages that may call: the configured public address. Undefined to allow pages of this machine only.
   */
  readonly publicUrl?: string | undefined;
}

export const mcpPath = "/mcp";

/**
 * Serves the tools for models over HTTP. It authenticates the caller; the requests of a tool then go through the same
 * dispatch table, with the same key, as if the caller had sent them, so scopes, rates and rules are checked there.
 */
export function createMcpHandler(options: Options): Handler {
  const { mcp, authenticate, rates, admission, networkOf, internalFetch, softStop, hardStop } = options;
  return async (exchange) => {
    const { request, record } = exchange;
    record.method = `${["POST", "GET", "DELETE"].find((verb) => verb === request.method) ?? "OTHER"} ${mcpPath}`;
    record.route = mcpPath;
    checkOrigin(exchange, options.publicUrl);
    const header = { get: (name: string) => headerOf(exchange, name) ?? null };
    const apiKey = credentialIn(header);
    const workspace = headerOf(exchange, "x-workspace")?.trim();
    const caller = await authenticate(apiKey, workspace).catch(async (cause: unknown) => {
      const isWrong = cause instanceof DomainError && cause.kind === "unauthenticated" && apiKey !== undefined;
      if (isWrong) await countFailedAttempt(exchange, rates);
      throw cause;
    });
    record.caller = caller;
    await countCall(exchange, caller, rates);
    const { actor, organisationId: organisation } = caller;
    record.hold(
      admission.enter("other", {
        caller: actor.kind === "key" ? actor.keyId : actor.memberId,
        organisation,
        address: networkOf(record),
      }),
    );
    const text = request.method === "POST" ? await textOf(exchange, mcp.maxBodyBytes) : undefined;
    // A subscription stays open until either side ends it.
    const stop = headerOf(exchange, "mcp-method") === "subscriptions/listen" ? softStop : hardStop;
    const signal = AbortSignal.any([exchange.signal, stop]);
    const drs = createDrs({ server: record.baseUrl, apiKey, workspace, fetch: internalFetch({ ...exchange, signal }) });
    const { log } = record;
    const work: McpWork = {
      drs,
      report: (cause) => log.error({ err: cause }, "a tool failed because of a bug"),
      note: (cause) => log.debug({ err: cause }, "request breaks the protocol"),
    };
    const asked = new Request(`${record.baseUrl}${mcpPath}`, {
      method: request.method ?? "GET",
      headers: passedOn(exchange),
      signal,
      ...(text !== undefined && { body: text }),
    });
    await send({ ...exchange, signal }, await mcp.answer(asked, parsed(text), work));
  };
}

/**
 * A web page must not reach a server through the browser of somebody who has access (DNS rebinding). Programs send no
 * Origin. Throws `HttpError` with 403.
 */
function checkOrigin(exchange: Exchange, publicUrl: string | undefined): void {
  const origin = headerOf(exchange, "origin");
  if (origin === undefined) return;
  const from = URL.parse(origin);
  if (
    from !== null &&
    (loopback.has(from.hostname) || (publicUrl !== undefined && from.origin === new URL(publicUrl).origin))
  )
    return;
  throw new HttpError(
    403,
    Code.PermissionDenied,
    "pages of other sites may not use /mcp; programs send no Origin header",
  );
}

/** Counts the message itself as a request, besides the requests that a tool makes for it. */
async function countCall({ response }: Exchange, caller: Caller, rates: Rates | undefined): Promise<void> {
  const responseHeader = new Headers();
  try {
    await rates?.countCall(caller, { responseHeader });
  } finally {
    for (const [name, value] of responseHeader) response.setHeader(name, value);
  }
}

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

async function textOf(exchange: Exchange, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const refused = tooLarge(`a message may have ${maxBytes} bytes; documents are added by address`);
  if (Number(headerOf(exchange, "content-length") ?? 0) > maxBytes) throw refused;
  for await (const chunk of bodyOf(exchange.request)) {
    size += chunk.length;
    if (size > maxBytes) throw refused;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The headers that the protocol reads. The message is passed parsed, so no others are needed. */
function passedOn(exchange: Exchange): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(exchange.request.headers)) {
    if (typeof value !== "string") continue;
    if (/^(?:accept|content-type|last-event-id|mcp-.*)$/.test(name)) headers.set(name, value);
  }
  return headers;
}

async function send(exchange: Exchange, answer: Response): Promise<void> {
  const { response } = exchange;
  closeIfEarly(exchange);
  response.writeHead(answer.status, { "cache-control": "no-store", ...Object.fromEntries(answer.headers) });
  if (answer.body === null) response.end();
  else await sendBody(exchange, answer.body);
}

function headerOf({ request: { headers } }: Exchange, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}
