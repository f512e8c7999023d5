import type { DescMethod } from "@bufbuild/protobuf";
import type { Validator } from "@bufbuild/protovalidate";
import { type Interceptor, Code, ConnectError } from "@connectrpc/connect";
import type { Attempts } from "../../domain/idempotency/attempts.ts";
import type { Rates } from "../limits/rates.ts";
import type { Drain } from "./drain.ts";
import { type Creation, createIdempotency } from "./idempotency.ts";
import { createValidation } from "./validate.ts";
import { toConnectError } from "../errors.ts";
import { type RequestRecord, recordKey, answerKey } from "../http/exchange.ts";
import { isUnreadable } from "../rpc/unreadable.ts";
import { DomainError } from "../../domain/errors.ts";

interface ChainOptions {
  readonly drain: Pick<Drain, "interceptor">;
  readonly validator: Validator;
  readonly rates: Rates | undefined;
  /** Whether a method may be called without a credential. */
  readonly isPublic: (method: DescMethod) => boolean;
  readonly attempts: Attempts;
  readonly creations: ReadonlyMap<DescMethod, Creation>;
}

/**
 * The interceptors of every call, whatever its protocol, between the gate and its implementation. The gate
 * (`access/gate.ts`) is not an interceptor: it runs before any of the body is read, while interceptors see messages.
 */
export function createInterceptors(options: ChainOptions): Interceptor[] {
  const { drain, validator, rates, isPublic, attempts, creations } = options;
  return [
    // 1. Outermost: a call counts as running until all other interceptors are done with it, and they see the signal
    // that ends it.
    drain.interceptor,
    // 2. Around everything that throws: every error gets the form that its caller may see, and nothing changes it after
    // that.
    errors,
    // 3. Inside 2: it sees errors of the domain before they lose their kind, and may replace them with its own.
    createFailedAttempts(rates, isPublic),
    // 4. Before 5: a request that breaks the rules of the contract takes no idempotency key.
    createValidation(validator),
    // 5. Innermost: it stores and repeats the answer of the implementation to a valid request.
    createIdempotency(attempts, creations),
  ];
}

/** Turns every error of a call, even in the middle of a stream, into the form that its caller may see. */
const errors: Interceptor = (next) => async (req) => {
  const record = req.contextValues.get(recordKey);
  try {
    const res = await next(req.stream ? { ...req, message: received(req.message) } : req);
    return res.stream ? { ...res, message: guarded(res.message, record, req.signal) } : res;
  } catch (cause) {
    throw toConnectError(cause, record, req.signal);
  }
};

/** Reports an unparsable message of a stream as an error of the client; Connect calls it an internal error. */
async function* received<Item>(messages: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* messages;
  } catch (cause) {
    if (!(cause instanceof ConnectError) || !isUnreadable(cause)) throw cause;
    throw new ConnectError(cause.rawMessage, Code.InvalidArgument, undefined, undefined, cause);
  }
}

async function* guarded<Item>(
  messages: AsyncIterable<Item>,
  record: RequestRecord | undefined,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  try {
    yield* messages;
  } catch (cause) {
    throw toConnectError(cause, record, signal);
  }
}

/**
 * Counts refusals by the client's address, like wrong keys, in methods that are open to everyone: there, the
 * credential is in the request itself, such as the token of an invitation or a share link.
 */
function createFailedAttempts(rates: Rates | undefined, isOpen: (method: DescMethod) => boolean): Interceptor {
  return (next) => async (req) => {
    const answer = req.contextValues.get(answerKey);
    if (rates === undefined || answer === undefined || !isOpen(req.method)) return next(req);
    const remoteAddress = req.contextValues.get(recordKey)?.remoteAddress ?? "";

    /** Counts a refusal. Throws `rate_limited` if there were too many; otherwise the refusal stands. */
    const count = async (cause: unknown): Promise<void> => {
      if (cause instanceof DomainError && cause.kind === "forbidden") await rates.countFailure(remoteAddress, answer);
    };
    async function* counted<Item>(messages: AsyncIterable<Item>): AsyncGenerator<Item> {
      try {
        yield* messages;
      } catch (cause) {
        await count(cause);
        throw cause;
      }
    }
    try {
      const res = await next(req);
      return res.stream ? { ...res, message: counted(res.message) } : res;
    } catch (cause) {
      await count(cause);
      throw cause;
    }
  };
}
