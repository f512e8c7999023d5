import type { Logger } from "pino";
import type { Metadata } from "../../../domain/ports/metadata.ts";
import { dayOf, daysBefore, maxHistoryDays } from "../../../domain/usage/usage.ts";
import { logFault } from "../../../log-fault.ts";

/** Interval of recording; a day's final usage is known with this precision. */
const everyMs = 600_000;
/** Interval at which a worker checks whether recording is due and it leads. */
const lookMs = 60_000;

/** Records the current storage usage as that of the day, by the store's clock. */
export async function noteUsage({ usage, now }: Pick<Metadata, "usage" | "now">): Promise<void> {
  const time = await now();
  await usage.noteDay(dayOf(time), daysBefore(time, maxHistoryDays - 1));
}

/** Records usage while this worker leads. Returns a function that ends this. */
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
