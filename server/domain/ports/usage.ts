import type { WorkspaceId } from "../ids.ts";
import type { DailyUsage, Holdings, MonthlyRequests, RequestCount, StorageState } from "../usage/usage.ts";

/** What is stored and asked, counted in the transactions that change it: reading it looks at no rows of documents. */
export interface UsageStore {
  ofWorkspace(workspaceId: WorkspaceId): Promise<Holdings>;
  /** What `ofWorkspace` says, from the rows themselves. It reads all of them: for tests and checks. */
  recount(workspaceId: WorkspaceId): Promise<Holdings>;
  /** Of the organisation that owns the workspace. */
  storage(workspaceId: WorkspaceId): Promise<StorageState>;
  /** Calls by month (`2026-11`, UTC), from a month on; the oldest first, months without calls left out. */
  requestsSince(workspaceId: WorkspaceId, month: string): Promise<readonly MonthlyRequests[]>;
  /** Adds calls to what has been counted. */
  addRequests(counts: readonly RequestCount[]): Promise<void>;
  /** Writes down what every workspace holds as that of a day (`2026-11-22`, UTC), and forgets the days before another. */
  noteDay(day: string, oldestKept: string): Promise<void>;
  /** What was written down of the days from the first (`2026-11-22`, UTC) to before the last; the oldest first. */
  history(
    workspaceId: WorkspaceId,
    days: { readonly from: string; readonly before: string },
  ): Promise<readonly DailyUsage[]>;
}
