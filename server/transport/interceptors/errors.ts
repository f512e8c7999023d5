import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { toConnectError } from "../errors.ts";
import { type RequestRecord, recordKey } from "../http/exchange.ts";
import { isUnreadable } from "../rpc/unreadable.ts";

/** Gives every error of a call, also one in the middle of a stream, the form that its caller may see. */
export const errors: Interceptor = (next) => async (req) => {
  const record = req.contextValues.get(recordKey);
  try {
    const res = await next(req.stream ? { ...req, message: received(req.message) } : req);
    return res.stream ? { ...res, message: guarded(res.message, record, req.signal) } : res;
  } catch (cause) {
    throw toConnectError(cause, record, req.signal);
  }
};

/** A message of a stream that cannot be parsed is the client's fault; Connect calls it an internal error. */
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
