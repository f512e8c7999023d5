import type { DescService, JsonObject, Message } from "@bufbuild/protobuf";
import {
  Code,
  type ConnectRouter,
  createContextValues,
  createHandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import type { Handler } from "../dispatch.ts";
import { HttpError, noSuchPath } from "../errors.ts";
import { type Exchange, recordKey } from "../http/exchange.ts";
import type { Gate } from "../access/gate.ts";
import { sendJson, errorBody } from "../http/reply.ts";
import { preferred } from "./accept.ts";
import { type Calls, createCalls } from "./calls.ts";
import { findField, writeMessage } from "./json.ts";
import { readRequest, readRequests } from "./requests.ts";
import { findRoute, type Match, type Route, routesOf } from "./routes.ts";
import { once } from "node:events";

interface Options {
  readonly services: readonly DescService[];
  readonly routes: (router: ConnectRouter) => void;
  readonly gate: Gate;
  readonly interceptors: readonly Interceptor[];
}

/** Created once: capturing the stack of an error takes longer than reporting it. */
const ended = new DOMException("the call has ended", "AbortError");

/** Serves every method with a google.api.http option as REST, through the same checks as the other protocols. */
export function createTranscoder({ services, routes, gate, interceptors }: Options): Handler {
  const table = routesOf(services);
  const calls = createCalls(routes, interceptors);
  return async (exchange) => {
    const { request, record } = exchange;
    record.protocol = "rest";
    const match = find(table, request.method ?? "GET", exchange.path);
    const { method, path } = match.route;
    record.route = path;
    record.method = `${method.parent.typeName}/${method.name}`;
    const context = createHandlerContext({
      service: method.parent,
      method,
      protocolName: "rest",
      requestMethod: request.method ?? "GET",
      url: exchange.path,
      requestSignal: exchange.signal,
      requestHeader: webHeaders(request.headers),
      contextValues: createContextValues().set(recordKey, record),
    });
    try {
      checkAccept(match.route, request.headers.accept);
      await gate(context);
      if (method.methodKind === "server_streaming") return await follow(exchange, match, calls, context);
      const answer =
        method.methodKind === "unary"
          ? await calls.unary(method, await readRequest(match, request, exchange.query), context)
          : await only(await calls.stream(method, readRequests(match, request, exchange.query), context));
      sendJson(exchange, 200, render(match.route, answer), Object.fromEntries(context.responseHeader));
    } catch (cause) {
      for (const [name, value] of context.responseHeader) exchange.response.setHeader(name, value);
      throw cause;
    } finally {
      context.abort(ended);
    }
  };
}

function find(table: readonly Route[], verb: string, path: string): Match {
  const found = findRoute(table, verb, path);
  if ("route" in found) return found;
  if (found.verbs.length === 0) throw noSuchPath(path);
  const allow = [...found.verbs, "OPTIONS"].join(", ");
  throw new HttpError(405, Code.Unimplemented, `${verb} is not possible here; ${found.verbs.join(" and ")} is`, {
    allow,
  });
}

function checkAccept({ method }: Route, accept: string | undefined): void {
  const type = method.methodKind === "server_streaming" ? "text/event-stream" : "application/json";
  if (preferred(accept, [type]) === undefined) {
    throw new HttpError(406, Code.InvalidArgument, `the answer is ${type}, which the Accept header rules out`);
  }
}

/** Answers with server-sent events; a browser resumes with the id of the last event that it has seen. */
async function follow(
  exchange: Exchange,
  match: Match,
  calls: Calls,
  context: Parameters<Calls["stream"]>[2],
): Promise<void> {
  const { request, query } = exchange;
  const { method, rules } = match.route;
  const lastId = request.headers["last-event-id"];
  const resume = findField(method.input, rules.resume);
  if (typeof lastId === "string" && resume !== undefined) {
    query.delete(resume.name);
    query.set(resume.jsonName, lastId);
  }
  const messages = await calls.stream(method, single(await readRequest(match, request, query)), context);
  await sendEvents(exchange, eventsOf(match.route, messages));
}

async function* eventsOf(route: Route, messages: AsyncIterable<Message>): AsyncGenerator<ServerEvent> {
  const idField = findField(route.method.output, route.rules.eventId)?.jsonName;
  for await (const message of messages) {
    const json = writeMessage(route.method.output, message);
    const id = idField === undefined ? undefined : json[idField];
    yield { id: typeof id === "string" ? id : "", json: render(route, message) };
  }
}

/** The JSON of an answer: the whole message or one field of it, with or without the envelope. */
function render({ method, rule, rules }: Route, message: Message): JsonObject {
  const json = writeMessage(method.output, message);
  const field = rule.responseBody === "" ? undefined : findField(method.output, rule.responseBody);
  if (field === undefined) return rules.envelope ? { success: true, ...json } : json;
  const data = json[field.jsonName] ?? null;
  if (rules.envelope) return { success: true, ...(rules.withoutTotal ? {} : { total: 1 }), data };
  if (typeof data !== "object" || data === null || Array.isArray(data)) {
    throw new Error(`${method.name} answered without ${field.name}`);
  }
  return data;
}

async function only(messages: AsyncIterable<Message>): Promise<Message> {
  for await (const message of messages) return message;
  throw new Error("the call ended without an answer");
}

async function* single(message: Message): AsyncGenerator<Message> {
  yield message;
}

function webHeaders(headers: NodeJS.Dict<string | string[]>): Headers {
  const copy = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    // Pseudo headers of HTTP/2 begin with a colon.
    if (value === undefined || name.startsWith(":")) continue;
    for (const item of Array.isArray(value) ? value : [value]) copy.append(name, item);
  }
  return copy;
}

/** A server-sent event (HTML, section 9.2). */
interface ServerEvent {
  /** Empty if the stream cannot be resumed after this event. */
  readonly id: string;
  readonly json: object;
}

/** An error within this time is answered with its own status; later the stream has begun. */
const openAfterMs = 1_000;
/** Proxies and clients take a quiet connection for dead after half a minute at the earliest. */
const heartbeatMs = 15_000;

/** Answers with a stream of events. An error after the first event becomes the last event: `event: error`. */
async function sendEvents(exchange: Exchange, events: AsyncIterable<ServerEvent>): Promise<void> {
  const { response, signal } = exchange;
  const open = (): void => {
    if (response.headersSent) return;
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      // Some proxies would buffer events to send more at once.
      "x-accel-buffering": "no",
    });
  };
  const beat = (): void => {
    if (signal.aborted) return;
    open();
    response.write(": still here\n\n");
    heartbeat = setTimeout(beat, heartbeatMs);
  };
  let heartbeat = setTimeout(beat, openAfterMs);
  try {
    for await (const { id, json } of events) {
      signal.throwIfAborted();
      open();
      clearTimeout(heartbeat);
      heartbeat = setTimeout(beat, heartbeatMs);
      const isFlowing = response.write(`${id === "" ? "" : `id: ${id}\n`}data: ${JSON.stringify(json)}\n\n`);
      if (!isFlowing) await once(response, "drain", { signal });
    }
    open();
  } catch (cause) {
    if (!response.headersSent || signal.aborted) throw cause;
    response.write(`event: error\ndata: ${JSON.stringify(errorBody(exchange, cause).json)}\n\n`);
  } finally {
    clearTimeout(heartbeat);
  }
  response.end();
}
