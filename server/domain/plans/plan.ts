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
