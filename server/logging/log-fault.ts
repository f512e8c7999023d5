import type { Logger } from "pino";
import { storageFaultOf, type StorageFault } from "../domain/storage-fault.ts";

/** A storage fault makes every loop of a process fail many times a second, so it is logged once per this interval. */
const everyMs = 60_000;

/** By fault: when this process last logged it, and how often it has occurred since. */
const said = new Map<StorageFault, { readonly at: number; unsaid: number }>();

/** Logs a failure; a storage failure at most once a minute per process, with the number of failures that were not logged. */
export function logFault(
  log: Logger,
  level: "warn" | "error",
  { err, ...fields }: { readonly err: unknown } & Readonly<Record<string, unknown>>,
  message: string,
): void {
  const fault = storageFaultOf(err);
  if (fault === undefined) return log[level]({ err, ...fields }, message);
  const last = said.get(fault);
  const now = performance.now();
  if (last !== undefined && now - last.at < everyMs) {
    last.unsaid += 1;
    return;
  }
  said.set(fault, { at: now, unsaid: 0 });
  log[level]({ err, ...fields, fault, ...(last && { unsaid: last.unsaid }) }, message);
}
