import { type DescMethod, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import {
  ConnectError,
  createContextKey,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import type { Caller } from "../../domain/caller.ts";
import { conflict, DomainError, unprocessable } from "../../domain/errors.ts";
import {
  type Attempts,
  hashIdempotencyKey,
  type HeldAttempt,
  parseIdempotencyKey,
} from "../../domain/idempotency/attempts.ts";
import { type AnswerSecret, openAnswer, sealAnswer } from "../../domain/sealing.ts";
import type { BodyDigest, ReservedIds } from "../../domain/ports/requests.ts";
import { answerKey, recordKey } from "../http/exchange.ts";
import { callerKey, credentialKey } from "../access/gate.ts";
import { createBodyDigester } from "./body-digest.ts";

/** Headers with the request's key, and with whether an answer is a repetition. */
const idempotencyKeyHeader = "idempotency-key";
const replayedHeader = "idempotency-replayed";

/** Seconds before a client should ask again for the answer to a request that is still running; most take less. */
const lookAgainSeconds = 1;

/** A method that creates something and accepts an idempotency key. */
export interface Creation {
  /** Whether the answer contains a secret, so that it is stored encrypted. */
  readonly hasSecret: boolean;
  /**
   * Finds the answer to an interrupted attempt by its ids; undefined if nothing was created. A method whose results
   * cannot be found by ids has no `find`, and its interrupted attempts are not repeated.
   */
  readonly find?: (caller: Caller, ids: ReservedIds) => Promise<Message | undefined>;
}

/** Ids that the current creation has to use; undefined for any. */
export const reservedKey = createContextKey<ReservedIds | undefined>(undefined, { description: "reserved ids" });

type Request = UnaryRequest | StreamRequest;
type Response = UnaryResponse | StreamResponse;
type Next = ReturnType<Interceptor>;

/** Runs creations with an idempotency key once, and repeats their answer. */
export function createIdempotency(attempts: Attempts, creations: ReadonlyMap<DescMethod, Creation>): Interceptor {
  return (next) => async (req) => {
    const given = req.header.get(idempotencyKeyHeader);
    const creation = creations.get(req.method);
    const caller = req.contextValues.get(callerKey);
    if (given === null || creation === undefined || caller === undefined) return next(req);
    const idempotencyKey = parseIdempotencyKey(given);
    const secret = creation.hasSecret ? { credential: credentialOf(req), idempotencyKey } : undefined;
    const { method } = req;
    const ref = {
      workspaceId: caller.workspaceId,
      method: `${method.parent.typeName}/${method.name}`,
      // The answer to a bound key is repeated to no other key, which may be bound to another filter.
      keySha256: hashIdempotencyKey(caller.filter === undefined ? idempotencyKey : boundTo(caller, idempotencyKey)),
    };
    const attempt = await attempts.begin(ref, { canResume: creation.find !== undefined });
    if (attempt.outcome === "running") {
      req.contextValues.get(answerKey)?.responseHeader.set("retry-after", String(lookAgainSeconds));
      throw stillRunning();
    }
    if (attempt.outcome === "answered") return repeat(req, attempt, secret);
    if (attempt.outcome === "first") return run(next, req, attempt.held, secret);
    if (attempt.held === undefined || creation.find === undefined) throw unknownEnd();
    const { held, ids, body } = attempt;
    const found = await unlessFailed(creation.find(caller, ids), held);
    if (found === undefined || body === undefined) return run(next, req, await held.startOver(), secret);
    const answer = toBinary(method.output, found);
    await held.answer(answer);
    return repeat(req, { body, answer }, undefined);
  };
}

function credentialOf({ contextValues, method }: Request): string {
  const credential = contextValues.get(credentialKey);
  // An answer sealed with an empty credential would be open to everybody.
  if (credential === undefined) throw new Error(`${method.name} was reached by a caller without a credential`);
  return credential;
}

/**
 * Combines the caller's key with the idempotency key; the result is longer than any idempotency key that a caller may
 * send.
 */
const boundTo = ({ actor }: Caller, idempotencyKey: string): string =>
  `${actor.kind === "key" ? actor.keyId : actor.tokenId} ${idempotencyKey}`;

const stillRunning = (): Error =>
  conflict("the first request with this Idempotency-Key is still being worked on; send it again in a moment", {
    reason: "IDEMPOTENCY_KEY_IN_USE",
  });

const unknownEnd = (): Error =>
  conflict(
    "the first request with this Idempotency-Key was interrupted, and its answer is lost; " +
      "look whether it was done, and if not send it with another key",
  );

const otherRequest = (): Error =>
  unprocessable("this Idempotency-Key came with another request before; use a new key for a new request", {
    reason: "IDEMPOTENCY_KEY_REUSED",
  });

const otherCaller = (): Error =>
  unprocessable(
    "this Idempotency-Key came with another API key, token or session before, and its answer holds a secret that is " +
      "repeated to that one only; use a new key",
  );

/**
 * Runs the attempt. A refusal frees the key; an answer is stored; after any other failure the next request finds out
 * what was created.
 */
async function run(next: Next, req: Request, held: HeldAttempt, secret: AnswerSecret | undefined): Promise<Response> {
  let made: CallResult;
  try {
    req.contextValues.set(reservedKey, held.ids);
    made = await call(next, { ...req, signal: AbortSignal.any([req.signal, held.lost]) }, held);
  } catch (cause) {
    // The store may have done the work although its answer was lost.
    const isRefusal = cause instanceof DomainError || cause instanceof ConnectError || cause === req.signal.reason;
    await (isRefusal ? held.release() : held.giveUp()).catch(() => undefined);
    throw cause;
  }
  const { response, message, isRead } = made;
  if (!isRead) {
    // It is not known whether a repetition would be the same request. A repetition will be answered as this request
    // is, from what exists then.
    await held.release().catch(() => undefined);
    return response;
  }
  const answer = toBinary(req.method.output, message);
  // If it cannot be stored, the hold expires, and the next request with the key finds by the ids what was created.
  await held.answer(secret === undefined ? answer : sealAnswer(answer, secret)).catch((cause: unknown) => {
    req.contextValues.get(recordKey)?.log.warn({ err: cause }, "the answer to an idempotency key was not noted");
  });
  return response;
}

interface CallResult {
  readonly response: Response;
  readonly message: Message;
  /** False if the answer came before the end of the request, with something that existed before. */
  readonly isRead: boolean;
}

async function call(next: Next, req: Request, held: HeldAttempt): Promise<CallResult> {
  const digester = createBodyDigester(req.method.input);
  if (!req.stream) {
    digester.add(req.message);
    await held.noteBody(digester.digest());
    const response = await next(req);
    if (response.stream) throw new Error(`${req.method.name} answered with a stream`);
    return { response, message: response.message, isRead: true };
  }
  let isRead = false;
  async function* noted(messages: AsyncIterable<Message>): AsyncGenerator<Message> {
    for await (const message of messages) {
      digester.add(message);
      yield message;
    }
    // Nothing is created before the end of the request.
    await held.noteBody(digester.digest());
    isRead = true;
  }
  const response = await next({ ...req, message: noted(req.message) });
  if (!response.stream) throw new Error(`${req.method.name} did not answer with a stream`);
  for await (const message of response.message)
    return { response: { ...response, message: single(message) }, message, isRead };
  throw new Error(`${req.method.name} ended without an answer`);
}

/** Repeats the answer to the first request. Throws if this request differs from the first. */
async function repeat(
  req: Request,
  first: { readonly body: BodyDigest; readonly answer: Uint8Array },
  secret: AnswerSecret | undefined,
): Promise<Response> {
  const body = await digestAll(req, first.body.fileBytes);
  if (body.sha256 !== first.body.sha256) throw otherRequest();
  const answer = secret === undefined ? first.answer : openAnswer(first.answer, secret);
  if (answer === undefined) throw otherCaller();
  const message = fromBinary(req.method.output, answer);
  const carried = req.contextValues.get(answerKey);
  if (carried === undefined) throw new Error(`${req.method.name} was reached without headers for its answer`);
  carried.responseHeader.set(replayedHeader, "true");
  const common = { service: req.service, header: carried.responseHeader, trailer: carried.responseTrailer };
  if (!req.stream) return { ...common, stream: false, method: req.method, message };
  return { ...common, stream: true, method: req.method, message: single(message) };
}

/** Reads a whole request, but no more of a file than a request equal to the first can have. */
async function digestAll(req: Request, maxFileBytes: number): Promise<BodyDigest> {
  const digester = createBodyDigester(req.method.input);
  for await (const message of req.stream ? req.message : single(req.message)) {
    digester.add(message);
    if (digester.fileBytes > maxFileBytes) throw otherRequest();
  }
  return digester.digest();
}

/**
 * A failed look-up does not show that nothing was created: the attempt stays interrupted, so that the next request
 * looks again.
 */
async function unlessFailed<Value>(lookUp: Promise<Value>, held: HeldAttempt): Promise<Value> {
  try {
    return await lookUp;
  } catch (cause) {
    await held.giveUp().catch(() => undefined);
    throw cause;
  }
}

async function* single(message: Message): AsyncGenerator<Message> {
  yield message;
}
