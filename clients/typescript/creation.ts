import type { CallOptions } from "@connectrpc/connect";
import { type Connection, type CreateOptions, newIdempotencyKey } from "./connection.ts";
import type { DrsError } from "./errors.ts";
import { createRetrier, defaultRetrySettings, mayRepeat, neverConnected } from "./uploads/retry.ts";

/** How long to retry, milliseconds: long enough for a server to restart; the calls themselves are fast. */
const retryForMs = 20_000;

/**
 * Runs a call that creates something. If the response is lost, the call is repeated with the same idempotency key, so
 * that nothing is created twice. If the service was never reached, it does not retry.
 */
export async function createOnce<Result>(
  connection: Connection,
  run: (options: CallOptions) => Promise<Result>,
  { idempotencyKey = newIdempotencyKey(), signal }: CreateOptions = {},
): Promise<Result> {
  let wasReached = false;
  const mayRetry = (error: DrsError): boolean => {
    wasReached ||= !neverConnected(error);
    return wasReached && error.status !== 429 && mayRepeat(error);
  };
  const retrier = createRetrier({ ...defaultRetrySettings, retryTimeoutMs: retryForMs, firstPauseMs: 250 }, signal);
  return retrier.run(() => connection.call(run, { signal, idempotencyKey }), mayRetry);
}
