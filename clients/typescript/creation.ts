import type { CallOptions } from "@connectrpc/connect";
import type { Connection, CreateOptions } from "./connection.ts";
import type { DrsError } from "./errors.ts";
import { newIdempotencyKey } from "./idempotency-key.ts";
import { createRetrier, defaultRetrySettings, mayRepeat, neverConnected } from "./uploads/retry.ts";

/** Long enough for a server to be started anew; a call that takes milliseconds is not waited for longer. */
const retryForMs = 20_000;

/**
 * Runs a call that creates something. An answer that was lost is asked for again under the same idempotency key, so that
 * it is created once. A service that was never reached is not waited for.
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
  const retrier = createRetrier({ ...defaultRetrySettings, patienceMs: retryForMs, firstPauseMs: 250 }, signal);
  return retrier.run(() => connection.call(run, { signal, idempotencyKey }), mayRetry);
}
