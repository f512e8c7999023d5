import { invalid } from "../errors.ts";

/** Limits of an organisation; null for no limit. */
export interface PlanLimits {
  /** Largest document, bytes. */
  readonly maxUploadBytes: number | null;
  /** Bytes that all workspaces may store together. */
  readonly maxStorageBytes: number | null;
  /** Longest time that a dataset may be kept, days. */
  readonly maxRetentionDays: number | null;
  /** For one workspace. */
  readonly requestsPerMinute: number | null;
  /** Jobs that run at the same time. */
  readonly concurrentJobs: number | null;
  /** Maximum number of pages of one document. */
  readonly maxPages: number | null;
}

export const noLimits: PlanLimits = {
  maxUploadBytes: null,
  maxStorageBytes: null,
  maxRetentionDays: null,
  requestsPerMinute: null,
  concurrentJobs: null,
  maxPages: null,
};

/** Named limits. */
export interface Plan {
  readonly name: string;
  readonly limits: PlanLimits;
}

/** The plan of every organisation that is not put on another; it cannot be changed or deleted. */
export const unlimited = "unlimited";

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
  return `${what} is larger than ${sizeText(maxBytes)}, ${whose}`;
}

const units = [
  ["TB", 2 ** 40],
  ["GB", 2 ** 30],
  ["MB", 2 ** 20],
] as const;

/** Formats a size in powers of 1,024, as limits are given: `1.5 GB`, `100 MB`, `5000 bytes`. */
export function sizeText(bytes: number): string {
  const [name, unit] = units.find(([, size]) => bytes >= size) ?? ["bytes", 1];
  return `${Math.round((bytes / unit) * 10) / 10} ${name}`;
}

/**
 * The retention of a dataset in days: the requested one (-1 for ever), or the plan's maximum if none is requested.
 * Throws `invalid` for more than the plan allows.
 */
export function retentionDays(
  requested: number | undefined,
  { maxRetentionDays }: Pick<PlanLimits, "maxRetentionDays">,
): number | undefined {
  if (maxRetentionDays === null) return requested;
  if (requested === undefined) return maxRetentionDays;
  if (requested === -1 || requested > maxRetentionDays) {
    throw invalid(
      `your organisation's plan keeps documents for at most ${maxRetentionDays} days; ask for that or less, or leave it out`,
    );
  }
  return requested;
}
