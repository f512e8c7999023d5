import type { HandlerContext } from "@connectrpc/connect";
import type { Caller } from "../../domain/caller.ts";
import { callerKey } from "../interceptors/auth.ts";

/** Who calls; the access interceptor has found it out before any handler runs. */
export function callerOf(context: HandlerContext): Caller {
  const caller = context.values.get(callerKey);
  if (caller === undefined) throw new Error(`${context.method.name} was reached without a caller`);
  return caller;
}
