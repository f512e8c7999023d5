import { invalid } from "../errors.ts";
import type { PlanLimits } from "./plan.ts";

/** The largest document of a caller, bytes, and whose limit that is. */
export interface SizeLimit {
  readonly maxBytes: number;
  /** "the most that …", for a sentence. */
  readonly whose: string;
}

/** The smaller of the server's limit and the plan's. */
export function sizeLimit(serverLimit: SizeLimit, { maxUploadBytes }: Pick<PlanLimits, "maxUploadBytes">): SizeLimit {
  if (maxUploadBytes === null || maxUploadBytes >= serverLimit.maxBytes) return serverLimit;
  return { maxBytes: maxUploadBytes, whose: "the most that your organisation's plan allows" };
}

/** `the document is larger than 100 MB, the most that …`. */
export function tooLargeSentence(what: string, { maxBytes, whose }: SizeLimit): string {
  const megabytes = maxBytes / 2 ** 20;
  const size = megabytes >= 1 ? `${Math.round(megabytes)} MB` : `${maxBytes} bytes`;
  return `${what} is larger than ${size}, ${whose}`;
}

/**
 * The days that a dataset is kept when so many are asked for (-1: for ever; undefined: not said): those, or the plan's
 * maximum where nothing is said. Throws `invalid` for more than the plan allows.
 */
export function retentionDays(
  asked: number | undefined,
  { maxRetentionDays }: Pick<PlanLimits, "maxRetentionDays">,
): number | undefined {
  if (maxRetentionDays === null) return asked;
  if (asked === undefined) return maxRetentionDays;
  if (asked === -1 || asked > maxRetentionDays) {
    throw invalid(
      `your organisation's plan keeps documents for at most ${maxRetentionDays} days; ask for that or less, or leave it out`,
    );
  }
  return asked;
}
