import { setTimeout as sleep } from "node:timers/promises";
import type { Authenticate } from "../../domain/authenticate.ts";
import type { Caller } from "../../domain/caller.ts";
import { DomainError } from "../../domain/errors.ts";
import type { Exchange, NodeRequest } from "../http/exchange.ts";
import { countFailedAttempt, type Rates } from "../limits/rates.ts";
import { credentialIn } from "./gate.ts";
import { sessionIn } from "./session-cookie.ts";

/**
 * Whether a request comes from an operator: with a key, a token or a session of the operator's organisation with the
 * scope admin. Undefined if its credential cannot be looked up now.
 */
export type IsOperator = (exchange: Exchange) => Promise<boolean | undefined>;

/** A store that hangs must not delay the answer about the state of the stores. */
const waitMs = 1_000;

/** Throws `rate_limited` after too many wrong keys. */
export function createOperatorCheck(authenticate: Authenticate, rates: Rates | undefined): IsOperator {
  return async (exchange) => {
    const header = { get: (name: string) => headerOf(exchange.request, name) };
    const credential = credentialIn(header) ?? sessionIn(header, exchange.record.baseUrl);
    if (credential === undefined) return false;
    const asked = authenticate(credential, undefined).then(
      (caller) => ({ caller }),
      (cause: unknown) => ({ cause }),
    );
    const found = await Promise.race([asked, sleep(waitMs, { cause: undefined }, { ref: false })]);
    if ("caller" in found) return isOperator(found.caller);
    if (!(found.cause instanceof DomainError) || found.cause.kind === "unavailable") return undefined;
    if (found.cause.kind === "unauthenticated") await countFailedAttempt(exchange, rates);
    return false;
  };
}

function isOperator({ isOperator, scopes }: Caller): boolean {
  return isOperator && scopes.has("admin");
}

function headerOf(request: NodeRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === "string" ? value : null;
}
