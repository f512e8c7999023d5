import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { UsageService } from "../gen/drs/v1/usage_pb.ts";
import { type PlanLimits, planLimitsOf } from "../organisations/plans.ts";
import { present } from "../present.ts";

/** What is kept until it is deleted, bytes. */
export interface StoredBytes {
  readonly total: number;
  /** Documents as they were uploaded. */
  readonly originals: number;
  /** PDFs that Office documents became. */
  readonly converted: number;
  /** Parts of uploads that have not ended. */
  readonly parts: number;
}

/** What was stored at the end of a day; of today, what is stored now. */
export interface DailyUsage {
  /** Such as "2026-11-22", UTC. */
  readonly day: string;
  /** By the workspace. */
  readonly storedBytes: number;
  readonly documents: number;
  readonly pages: number;
  /** By all workspaces of the organisation together. */
  readonly organisationStoredBytes: number;
}

export interface UsageOptions extends RequestOptions {
  /** So many days of history, today included, at most 400; none by default. */
  readonly historyDays?: number;
}

/** What a workspace uses of what its organisation may use. */
export interface Usage {
  readonly workspaceId: string;
  readonly organisationId: string;
  /** By the workspace. */
  readonly stored: StoredBytes;
  /** By all workspaces of the organisation together, bytes: what `limits.maxStorageBytes` bounds. */
  readonly organisationStoredBytes: number;
  readonly documents: number;
  /** Of the documents that have been opened. */
  readonly pages: number;
  /** Since the month began (UTC), counted some ten seconds behind. */
  readonly requestsThisMonth: number;
  /** Of the last twelve months (UTC), such as "2026-11": the oldest first, this one last. */
  readonly requestsByMonth: readonly { readonly month: string; readonly requests: number }[];
  /** Of the last `historyDays` days: the oldest first, today last. Days of which nothing is known are left out. */
  readonly history: readonly DailyUsage[];
  /** Name of the organisation's plan. */
  readonly plan: string;
  /** The smaller of what plan and server allow. */
  readonly limits: PlanLimits;
}

export interface UsageReport {
  /** Of the workspace that the calls go to. */
  usage(options?: UsageOptions): Promise<Usage>;
}

export function createUsage(connection: Connection): UsageReport {
  const client = createClient(UsageService, connection.transport);
  return {
    async usage({ historyDays = 0, ...options } = {}) {
      const answer = await connection.call((call) => client.getUsage({ historyDays }, call), options);
      const usage = present(answer.usage, "usage");
      const { workspaceId, organisationId, organisationStoredBytes, documents, pages, requestsThisMonth, plan } = usage;
      const { total, originals, converted, parts } = present(usage.stored, "stored bytes");
      return {
        workspaceId,
        organisationId,
        stored: { total, originals, converted, parts },
        organisationStoredBytes,
        documents,
        pages,
        requestsThisMonth,
        requestsByMonth: usage.requestsByMonth.map(({ month, requests }) => ({ month, requests })),
        history: usage.history.map(
          ({ day, storedBytes, documents: held, pages: read, organisationStoredBytes: all }) => ({
            day,
            storedBytes,
            documents: held,
            pages: read,
            organisationStoredBytes: all,
          }),
        ),
        plan,
        limits: planLimitsOf(usage.limits),
      };
    },
  };
}
