import type { CallOptions } from "@connectrpc/connect";
import type { Connection, CreateOptions } from "./connection.ts";
import type { DrsError } from "./errors.ts";
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

/** A random UUID (RFC 9562, version 4). Pages that came without TLS have no `randomUUID`. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** The header that makes a request be done once; none without a key. */
export function idempotencyHeader(key: string | undefined): Readonly<Record<string, string>> {
  return key === undefined ? {} : { "idempotency-key": key };
}
