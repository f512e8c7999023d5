import type { HandlerContext } from "@connectrpc/connect";
import type { Caller } from "../../domain/caller.ts";
import type { ReservedIds } from "../../domain/ports/idempotency.ts";
import { networkOf } from "../http/client-address.ts";
import { recordKey } from "../http/exchange.ts";
import { callerKey } from "../access/gate.ts";
import { reservedKey } from "../interceptors/idempotency.ts";

/** Who calls; the access interceptor has found it out before any handler runs. */
export function callerOf(context: HandlerContext): Caller {
  const caller = context.values.get(callerKey);
  if (caller === undefined) throw new Error(`${context.method.name} was reached without a caller`);
  return caller;
}

/** What links in the answer begin with, without a slash at the end. */
export function baseUrlOf({ method, values }: HandlerContext): string {
  const record = values.get(recordKey);
  if (record === undefined) throw new Error(`${method.name} was reached without a record`);
  return record.baseUrl;
}

/** The network that the call comes from: an address, or the network of an address of IPv6. */
export function callersNetwork({ method, values }: HandlerContext): string {
  const record = values.get(recordKey);
  if (record === undefined) throw new Error(`${method.name} was reached without a record`);
  return networkOf(record.remoteAddress);
}

/** Ids that what the call creates must have, so that it can be found again; undefined: any will do. */
export function reservedIds(context: HandlerContext): ReservedIds | undefined {
  return context.values.get(reservedKey);
}
