import { setTimeout as sleep } from "node:timers/promises";
import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import { anyPack, AnySchema, anyUnpack } from "@bufbuild/protobuf/wkt";
import { ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import type { Contract } from "./contract.ts";
import {
  type ErrorDefinition,
  type HeaderLines,
  type StreamDefinition,
  streamRequest,
  type UnaryDefinition,
  unaryRequest,
} from "./definitions.ts";

type Payload = Record<"payload", Record<string, unknown>>;

/** The service that the suite calls: every request says how it is to be answered, and is told back what came. */
export function routes(contract: Contract): (router: ConnectRouter) => void {
  const requestInfo = contract.message("ConformancePayload.RequestInfo");

  /** The time left until the deadlines of calls on arrival; the time left later depends on the machine. */
  const timeouts = new WeakMap<HandlerContext, number | undefined>();
  const begin = (context: HandlerContext): void => void timeouts.set(context, context.timeoutMs());

  /** The received requests. In a stream only the first answer has the headers. */
  const infoOf = (requests: readonly Message[], context: HandlerContext): Record<string, unknown> => {
    const timeoutMs = timeouts.get(context);
    const isGet = context.requestMethod === "GET";
    return {
      requestHeaders: linesOf(context.requestHeader),
      requests: packed(requests),
      ...(timeoutMs === undefined ? {} : { timeoutMs: BigInt(Math.round(timeoutMs)) }),
      ...(isGet ? { connectGetInfo: { queryParams: linesOf(new URL(context.url).searchParams) } } : {}),
    };
  };
  const packed = (requests: readonly Message[]) => requests.map((request) => anyPack(descOf(request), request));
  const descOf = ({ $typeName }: Message) => contract.message($typeName.slice($typeName.lastIndexOf(".") + 1));

  const errorOf = ({ code, message = "", details }: ErrorDefinition, info?: Record<string, unknown>): ConnectError => {
    const given = details.flatMap((detail) => {
      const value = anyUnpack(create(AnySchema, detail), contract.registry);
      return value === undefined ? [] : [{ desc: descOf(value), value: { ...value } }];
    });
    const added = info === undefined ? [] : [{ desc: requestInfo, value: info }];
    return new ConnectError(message, code, undefined, [...given, ...added]);
  };

  /** The answer to a unary or client-streaming call. */
  async function answerOnce(
    definition: UnaryDefinition | undefined,
    requests: readonly Message[],
    context: HandlerContext,
  ): Promise<Payload> {
    const info = infoOf(requests, context);
    setMetadata(definition, context);
    await sleep(definition?.responseDelayMs ?? 0, undefined, { signal: context.signal });
    const response = definition?.response;
    if (response?.case === "error") throw errorOf(response.value, info);
    return { payload: { requestInfo: info, ...(response?.case === "responseData" ? { data: response.value } : {}) } };
  }

  /** The answers to what has been received as a whole. */
  async function* answerAll(
    definition: StreamDefinition | undefined,
    requests: readonly Message[],
    context: HandlerContext,
  ): AsyncGenerator<Payload> {
    setMetadata(definition, context);
    const info = infoOf(requests, context);
    for (const [index, data] of (definition?.responseData ?? []).entries()) {
      await sleep(definition?.responseDelayMs ?? 0, undefined, { signal: context.signal });
      yield { payload: index === 0 ? { data, requestInfo: info } : { data } };
    }
    if (definition?.error === undefined) return;
    throw errorOf(definition.error, definition.responseData.length === 0 ? info : undefined);
  }

  /** One answer to each request, as long as there are any; the rest behind the last request. */
  async function* answerEach(requests: AsyncIterable<Message>, context: HandlerContext): AsyncGenerator<Payload> {
    begin(context);
    const received: Message[] = [];
    let definition: StreamDefinition | undefined;
    let isFullDuplex = false;
    let sent = 0;
    const next = async (newest: readonly Message[]): Promise<Payload | undefined> => {
      const data = definition?.responseData[sent];
      if (data === undefined) return undefined;
      await sleep(definition?.responseDelayMs ?? 0, undefined, { signal: context.signal });
      const info = sent === 0 ? infoOf(newest, context) : { requests: packed(newest) };
      sent += 1;
      return { payload: { data, requestInfo: info } };
    };
    for await (const request of requests) {
      received.push(request);
      if (received.length === 1) {
        const first = streamRequest.parse(request);
        definition = first.responseDefinition;
        isFullDuplex = first.fullDuplex;
        if (isFullDuplex) setMetadata(definition, context);
      }
      if (!isFullDuplex) continue;
      const answer = await next([request]);
      if (answer === undefined) break;
      yield answer;
    }
    if (!isFullDuplex) return yield* answerAll(definition, received, context);
    for (let answer = await next([]); answer !== undefined; answer = await next([])) yield answer;
    if (definition?.error === undefined) return;
    throw errorOf(definition.error, sent === 0 ? infoOf(received, context) : undefined);
  }

  const unary = (request: Message, context: HandlerContext): Promise<Payload> => {
    begin(context);
    return answerOnce(unaryRequest.parse(request).responseDefinition, [request], context);
  };
  const streamed = (request: Message, context: HandlerContext): AsyncGenerator<Payload> => {
    begin(context);
    return answerAll(streamRequest.parse(request).responseDefinition, [request], context);
  };
  const collected = async (requests: AsyncIterable<Message>, context: HandlerContext): Promise<Payload> => {
    begin(context);
    const received = await Array.fromAsync(requests);
    const [first] = received;
    const definition = first === undefined ? undefined : unaryRequest.parse(first).responseDefinition;
    return answerOnce(definition, received, context);
  };
  const methodsOf = <Kind extends DescMethod["methodKind"]>(kind: Kind) =>
    contract.service.methods.filter(
      (method): method is DescMethod & { methodKind: Kind } => method.methodKind === kind,
    );
  return (router) => {
    for (const method of methodsOf("unary")) {
      // The suite wants to see what becomes of a call that nothing implements.
      if (method.name !== "Unimplemented") router.rpc(method, unary);
    }
    for (const method of methodsOf("client_streaming")) router.rpc(method, collected);
    for (const method of methodsOf("server_streaming")) router.rpc(method, streamed);
    for (const method of methodsOf("bidi_streaming")) router.rpc(method, answerEach);
  };
}

function linesOf(entries: Iterable<[string, string]>): { readonly name: string; readonly value: string[] }[] {
  return [...entries].map(([name, value]) => ({ name, value: [value] }));
}

function setMetadata(
  definition: { readonly responseHeaders: HeaderLines; readonly responseTrailers: HeaderLines } | undefined,
  { responseHeader, responseTrailer }: HandlerContext,
): void {
  append(responseHeader, definition?.responseHeaders ?? []);
  append(responseTrailer, definition?.responseTrailers ?? []);
}

function append(to: Headers, lines: HeaderLines): void {
  for (const { name, value } of lines) for (const one of value) to.append(name, one);
}
