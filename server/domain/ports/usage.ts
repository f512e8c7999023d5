import type { WorkspaceId } from "../ids.ts";
import type { DailyUsage, Holdings, MonthlyRequests, RequestCount, StorageState } from "../usage/usage.ts";

/**
 * Storage and requests, counted in the transactions that change them, so that reading the counts reads no rows of
 * documents.
 */
export interface UsageStore {
  ofWorkspace(workspaceId: WorkspaceId): Promise<Holdings>;
  /** Computes the same as `ofWorkspace` from the rows themselves. It reads all of them: for tests and checks. */
  recount(workspaceId: WorkspaceId): Promise<Holdings>;
  /** Storage of the organisation that owns the workspace. */
  storage(workspaceId: WorkspaceId): Promise<StorageState>;
  /** Calls by month (`2026-11`, UTC), beginning with a month; oldest first, months without calls left out. */
  requestsSince(workspaceId: WorkspaceId, month: string): Promise<readonly MonthlyRequests[]>;
  /** Adds calls to the counts. */
  addRequests(counts: readonly RequestCount[]): Promise<void>;
  /**
   * Records what every workspace stores as the value of a day (`2026-11-22`, UTC), and deletes the days before
   * `oldestKept`.
   */
  noteDay(day: string, oldestKept: string): Promise<void>;
  /** The recorded days from the first (`2026-11-22`, UTC) to before the last; oldest first. */
  history(
    workspaceId: WorkspaceId,
    days: { readonly from: string; readonly before: string },
  ): Promise<readonly DailyUsage[]>;
}
