import type { WorkspaceId } from "../ids.ts";
import type { Holdings, MonthlyRequests, RequestCount, StorageState } from "../usage/usage.ts";

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
}
