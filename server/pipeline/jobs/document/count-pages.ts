import type { Counts, Meter } from "../../../domain/ports/meter.ts";
import { pageReason } from "../reasons.ts";

/** Counts the pages that a stage has finished, by the reason of each failure; null stands for a success. */
export function countPages(meter: Meter, stage: Counts["pages"]["stage"], failures: readonly (string | null)[]): void {
  const succeeded = failures.filter((failure) => failure === null).length;
  if (succeeded > 0) meter.count("pages", { stage, result: "succeeded", reason: "" }, succeeded);
  for (const failure of failures) {
    if (failure !== null) meter.count("pages", { stage, result: "failed", reason: pageReason(failure) });
  }
}
