import type { Interceptor } from "@connectrpc/connect";
import { toConnectError } from "../errors.ts";
import { type RequestRecord, recordKey } from "../exchange.ts";

/** Gives every error of a call, also one in the middle of a stream, the form that its caller may see. */
export const errors: Interceptor = (next) => async (req) => {
  const record = req.contextValues.get(recordKey);
  try {
    const res = await next(req);
    return res.stream ? { ...res, message: guarded(res.message, record, req.signal) } : res;
  } catch (cause) {
    throw toConnectError(cause, record, req.signal);
  }
};

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
