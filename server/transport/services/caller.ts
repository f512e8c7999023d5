import type { HandlerContext } from "@connectrpc/connect";
import type { Caller } from "../../domain/caller.ts";
import type { ReservedIds } from "../../domain/ports/requests.ts";
import { networkOf } from "../http/client-address.ts";
import { recordKey } from "../http/exchange.ts";
import { callerKey } from "../access/gate.ts";
import { reservedKey } from "../interceptors/idempotency.ts";

/** The caller, whom the gate has identified before any handler runs. */
export function callerOf(context: HandlerContext): Caller {
  const caller = context.values.get(callerKey);
  if (caller === undefined) throw new Error(`${context.method.name} was reached without a caller`);
  return caller;
}

/** The base of links in the answer, without a trailing slash. */
export function baseUrlOf({ method, values }: HandlerContext): string {
  const record = values.get(recordKey);
  if (record === undefined) throw new Error(`${method.name} was reached without a record`);
  return record.baseUrl;
}

/** The network that the call comes from: an IPv4 address, or the network of an IPv6 address. */
export function callersNetwork({ method, values }: HandlerContext): string {
  const record = values.get(recordKey);
  if (record === undefined) throw new Error(`${method.name} was reached without a record`);
  return networkOf(record.remoteAddress);
}

/** Ids for the objects that the call creates, so that they can be found again; undefined if any ids will do. */
export function reservedIds(context: HandlerContext): ReservedIds | undefined {
  return context.values.get(reservedKey);
}
