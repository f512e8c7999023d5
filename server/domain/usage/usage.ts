import type { OrganisationId, WorkspaceId } from "../ids.ts";
import type { PlanLimits } from "../plans/plan.ts";

/** Bytes that are kept until a user deletes them, by kind. */
export interface StoredBytes {
  readonly originals: number;
  /** PDFs that Office documents were converted to. */
  readonly converted: number;
  /** Parts of uploads that have not ended. */
  readonly parts: number;
}

/** The contents of a workspace in numbers. */
export interface Holdings {
  readonly stored: StoredBytes;
  readonly documents: number;
  /** Pages of the documents that have been opened. */
  readonly pages: number;
}

/** The storage of an organisation in all its workspaces, used and allowed. */
export interface StorageState {
  /** Name of its plan. */
  readonly plan: string;
  /** Null for no limit. */
  readonly maxBytes: number | null;
  readonly storedBytes: number;
}

/** Number of calls in a month. */
export interface MonthlyRequests {
  /** `2026-11`, UTC. */
  readonly month: string;
  readonly requests: number;
}

/** Number of calls of a workspace in a month. */
export interface RequestCount extends MonthlyRequests {
  readonly workspaceId: WorkspaceId;
}

/** The contents of a workspace at the end of a day; for today, now. */
export interface DailyUsage {
  /** `2026-11-22`, UTC. */
  readonly day: string;
  /** All stored bytes. */
  readonly storedBytes: number;
  readonly documents: number;
  readonly pages: number;
  /** All stored bytes of its organisation. */
  readonly organisationStoredBytes: number;
}

/** The usage of a workspace, and the limits of its organisation. */
export interface Usage extends Holdings {
  readonly workspaceId: WorkspaceId;
  readonly organisationId: OrganisationId;
  /** Bytes of all its workspaces. */
  readonly organisationStoredBytes: number;
  /** Some seconds behind. */
  readonly requestsThisMonth: number;
  /** The last twelve months, oldest first, including the current one. */
  readonly requestsByMonth: readonly MonthlyRequests[];
  /** Oldest day first, today last. Days without a record are left out. */
  readonly history: readonly DailyUsage[];
  /** Name of the plan. */
  readonly plan: string;
  /** The smaller of the limits of plan and server. */
  readonly limits: PlanLimits;
}

export const totalBytes = ({ originals, converted, parts }: StoredBytes): number => originals + converted + parts;

/** More than a year, so that each day can be compared with that of the year before. */
export const maxHistoryDays = 400;

/** The day of a time in milliseconds since the epoch: `2026-11-22`, UTC. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The day that is `days` days before a time: `2026-11-22`, UTC. */
export const daysBefore = (time: number, days: number): string => dayOf(time - days * dayMs);

const dayMs = 86_400_000;

/** The month of a time in milliseconds since the epoch: `2026-11`, UTC. */
export const monthOf = (time: number): string => new Date(time).toISOString().slice(0, 7);

/** The last `count` months, oldest first, ending with the month of the time. */
export function lastMonths(time: number, count: number): readonly string[] {
  const now = new Date(time);
  return Array.from({ length: count }, (_, index) =>
    monthOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (count - 1 - index))),
  );
}
