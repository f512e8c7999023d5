import type { Clock } from "../clock.ts";
import { DomainError } from "../errors.ts";
import type { Meter } from "../ports/meter.ts";
import type { Posts } from "../ports/remote.ts";
import type { ClaimedDelivery, Destination, Try } from "../ports/webhooks.ts";
import { type Sealing, secretsAt, signedHeaders } from "./sealing.ts";

/** An endpoint that has accepted nothing for this time is disabled. */
export const maxFailingMs = 5 * 86_400_000;

/** Pause after a try that failed because the secret cannot be opened: the operator has to fix the settings first. */
const unsealedPauseMs = 300_000;

interface DeliveryContext {
  readonly posts: Posts;
  readonly sealing: Sealing;
  readonly clock: Clock;
  readonly meter: Meter;
  /** Time for the receiver to answer. */
  readonly timeoutMs: number;
}

/** Sends a claimed delivery once and returns the outcome. Rejects only when the signal fires. */
export async function deliver(
  { posts, sealing, clock, meter, timeoutMs }: DeliveryContext,
  { delivery, destination }: ClaimedDelivery,
  signal: AbortSignal,
): Promise<Try> {
  const isOver = { dueAt: null, lastStatus: null } as const;
  if (destination === undefined) {
    return { ...isOver, status: "failed", lastError: "the webhook is disabled or deleted", endpoint: "not sent" };
  }
  const { url, secrets } = destination;
  const headers = headersOf(delivery, () => secretsAt(sealing, secrets, clock()), clock());
  if (headers instanceof DomainError) {
    const dueAt = clock() + unsealedPauseMs;
    return { status: "pending", dueAt, lastStatus: null, lastError: headers.message, endpoint: "not sent" };
  }
  const answer = await posts
    .post(
      url,
      { headers: { "content-type": "application/json", ...headers }, body: delivery.payload },
      timeoutMs,
      signal,
    )
    .catch((cause: unknown) => {
      if (cause instanceof DomainError && !signal.aborted) return cause;
      throw cause;
    });
  const result = answer instanceof DomainError ? "unanswered" : isAccepted(answer.status) ? "accepted" : "refused";
  meter.count("webhooks", { result });
  if (!(answer instanceof DomainError) && isAccepted(answer.status)) {
    return { ...isOver, status: "delivered", lastStatus: answer.status, lastError: null, endpoint: "accepted" };
  }
  const [lastStatus, lastError, requestedMs] =
    answer instanceof DomainError
      ? [null, answer.message, undefined]
      : [answer.status, refusalText(answer.status), answer.retryAfterMs];
  const pause = lastStatus === gone ? undefined : pauseAfter(delivery.tries + 1, requestedMs, Math.random());
  return {
    status: pause === undefined ? "failed" : "pending",
    dueAt: pause === undefined ? null : clock() + pause,
    lastStatus,
    lastError,
    endpoint: reasonToDisable(destination, lastStatus, clock()) ?? "refused",
  };
}

/** HTTP 410: the receiver wants no more messages. */
const gone = 410;

const isAccepted = (status: number): boolean => status >= 200 && status < 300;

function refusalText(status: number): string {
  if (status >= 300 && status < 400)
    return `it answered ${status}; redirects are not followed: give the address itself`;
  return `it answered ${status}`;
}

function reasonToDisable(
  { failingSince }: Destination,
  status: number | null,
  now: number,
): { readonly disabledReason: string } | undefined {
  if (status === gone) return { disabledReason: "it answered 410: it wants no more messages" };
  if (failingSince === null || now - failingSince < maxFailingMs) return undefined;
  return { disabledReason: `it has accepted nothing since ${new Date(failingSince).toISOString()}` };
}

function headersOf(message: Parameters<typeof signedHeaders>[0], open: () => readonly string[], now: number) {
  try {
    return signedHeaders(message, open(), now);
  } catch (cause) {
    if (cause instanceof DomainError) return cause;
    throw cause;
  }
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * Pauses before the second and later tries, ms, as Standard Webhooks recommends
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */
const pausesMs = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];

/** Maximum relative extension of a pause, so that deliveries that failed together are not retried together. */
const jitter = 0.2;

/** A receiver cannot delay a message for longer than the schedule does. */
const maxRequestedMs = 10 * hour;

/**
 * The pause after `tries` failed tries, ms; undefined for no further try. `requestedMs` is the pause that the
 * receiver has requested; `random` is from 0 to 1.
 */
export function pauseAfter(tries: number, requestedMs: number | undefined, random: number): number | undefined {
  const pause = pausesMs[tries - 1];
  if (pause === undefined) return undefined;
  return Math.round(Math.max(pause * (1 + jitter * random), Math.min(requestedMs ?? 0, maxRequestedMs)));
}
