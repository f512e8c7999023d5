import type { Logger } from "pino";
import type { Metadata } from "../../../domain/ports/metadata.ts";
import { dayOf, daysBefore, maxHistoryDays } from "../../../domain/usage/usage.ts";
import { logFault } from "../../../log-fault.ts";

/** How often what is stored is written down: the end of a day is known to that. */
const everyMs = 600_000;
/** How often a worker looks whether it is time, and up to it. */
const lookMs = 60_000;

/** Writes down what is stored, as that of the day by the store's clock. */
export async function noteUsage({ usage, now }: Pick<Metadata, "usage" | "now">): Promise<void> {
  const time = await now();
  await usage.noteDay(dayOf(time), daysBefore(time, maxHistoryDays - 1));
}

/** Writes it down as long as this worker is in charge, until the function that it returns is called. */
export function startUsageHistory(
  metadata: Pick<Metadata, "usage" | "now">,
  { isHeld, log }: { readonly isHeld: () => boolean; readonly log: Logger },
): () => Promise<void> {
  let notedAt = -Infinity;
  let round = Promise.resolve();
  const timer = setInterval(() => {
    if (!isHeld() || performance.now() - notedAt < everyMs) return;
    notedAt = performance.now();
    round = noteUsage(metadata).catch((err: unknown) => logFault(log, "warn", { err }, "usage not written down"));
  }, lookMs);
  return async () => {
    clearInterval(timer);
    await round;
  };
}
