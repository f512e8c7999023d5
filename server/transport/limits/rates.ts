import type { HandlerContext } from "@connectrpc/connect";
import type { Caller } from "../../domain/caller.ts";
import { rateLimited } from "../../domain/errors.ts";
import type { LimitsOf } from "../../domain/plans/limits-of.ts";
import type { Rate, RateLimiter, RateDecision } from "../../domain/rates/token-buckets.ts";
import type { RequestLog } from "../../domain/use-log.ts";
import { networkOf } from "../http/client-address.ts";
import type { Exchange } from "../http/exchange.ts";

/**
 * Maximum of failed authentication attempts from one address. Keys cannot be guessed, so the limit only saves work. It
 * is high because many people may share an address, and behind a proxy all of them do.
 */
const failuresPerMinute = 600;

/**
 * Maximum of look-ups of device user codes, successful ones included. They are the only secrets short enough to be
 * guessed (34 bits). A person needs two look-ups for a device.
 */
const lookUpsPerMinute = 60;

export interface Rates {
  /**
   * Counts one or more requests of a caller, and sets the state of the rates of the caller's organisation and key in
   * the answer's headers. Throws `rate_limited`, and then counts none.
   */
  countCall(caller: Caller, context: Pick<HandlerContext, "responseHeader">, count?: number): Promise<void>;
  /**
   * Counts the look-up of a user code, before it happens, by caller and address. Throws `rate_limited` if there were
   * too many.
   */
  countLookUp(caller: Caller, remoteAddress: string, context: Pick<HandlerContext, "responseHeader">): Promise<void>;
  /** Counts a failed authentication attempt. Throws `rate_limited` if there were too many from the address. */
  countFailure(remoteAddress: string, context: Pick<HandlerContext, "responseHeader">): Promise<void>;
}

interface Limiters {
  readonly calls: RateLimiter;
  /**
   * Limits failed attempts and look-ups of codes. Each process counts its own, because the number of addresses is
   * unbounded.
   */
  readonly failures: RateLimiter;
}

/** Calls that are admitted are recorded in `requests`. */
export function createRates(limiters: Limiters, limitsOf: LimitsOf, requests: Pick<RequestLog, "record">): Rates {
  return {
    async countCall({ organisationId, workspaceId, actor }, { responseHeader }, count = 1) {
      const { requestsPerMinute: ofPlan } = await limitsOf(organisationId);
      const ofKey = actor.kind === "key" ? actor.requestsPerMinute : null;
      const [first, ...others] = [
        ...(ofPlan === null ? [] : [{ id: organisationId, perMinute: ofPlan }]),
        ...(ofKey === null || actor.kind !== "key" ? [] : [{ id: `key ${actor.keyId}`, perMinute: ofKey }]),
      ] satisfies Rate[];
      if (first === undefined) return requests.record(workspaceId, count);
      const taken = await limiters.calls.take([first, ...others], count);
      const { perMinute, remaining, resetSeconds } = taken.state;
      responseHeader.set("ratelimit-limit", String(perMinute));
      responseHeader.set("ratelimit-remaining", String(remaining));
      responseHeader.set("ratelimit-reset", String(resetSeconds));
      if (count > perMinute && !taken.isAllowed)
        throw rateLimited(
          `one call may not be more than the ${perMinute} requests a minute of your plan or key; split it`,
        );
      refuseIfNone(taken, responseHeader, `these are more than the ${perMinute} requests a minute of your plan or key`);
      requests.record(workspaceId, count);
    },
    async countLookUp({ actor }, remoteAddress, { responseHeader }) {
      const taken = await limiters.failures.take([
        { id: `codes by ${actor.kind === "key" ? actor.keyId : actor.memberId}`, perMinute: lookUpsPerMinute },
        { id: `codes from ${networkOf(remoteAddress)}`, perMinute: failuresPerMinute },
      ]);
      refuseIfNone(taken, responseHeader, "too many codes of devices were tried by you or from your address");
    },
    async countFailure(remoteAddress, { responseHeader }) {
      const taken = await limiters.failures.take([
        { id: `from ${networkOf(remoteAddress)}`, perMinute: failuresPerMinute },
      ]);
      refuseIfNone(taken, responseHeader, "too many attempts with wrong keys came from your address");
    },
  };
}

function refuseIfNone(taken: RateDecision, responseHeader: Headers, what: string): void {
  if (taken.isAllowed) return;
  const seconds = taken.retryAfterSeconds;
  responseHeader.set("retry-after", String(seconds));
  throw rateLimited(`${what}; try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}`);
}

/**
 * Counts an attempt to get in with a wrong token or key. Throws `rate_limited` if there were too many from the
 * client's address.
 */
export async function countFailedAttempt({ response, record }: Exchange, rates: Rates | undefined): Promise<void> {
  const responseHeader = new Headers();
  await rates?.countFailure(record.remoteAddress, { responseHeader }).catch((cause: unknown) => {
    for (const [name, value] of responseHeader) response.setHeader(name, value);
    throw cause;
  });
}
