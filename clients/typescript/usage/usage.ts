import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { UsageService } from "../gen/drs/v1/usage_pb.ts";
import { type PlanLimits, planLimitsOf } from "../organisations/plans.ts";
import { present } from "../wire-names.ts";

/** Bytes that are stored until they are deleted. */
export interface StoredBytes {
  readonly total: number;
  /** Documents as they were uploaded. */
  readonly originals: number;
  /** PDFs that Office documents were converted to. */
  readonly converted: number;
  /** Parts of uploads that have not ended. */
  readonly parts: number;
}

/** The amounts stored at the end of a day; for today, the current amounts. */
export interface DailyUsage {
  /** The day in UTC, such as "2026-11-22". */
  readonly day: string;
  /** Stored by the workspace. */
  readonly storedBytes: number;
  readonly documents: number;
  readonly pages: number;
  /** Stored by all workspaces of the organisation together. */
  readonly organisationStoredBytes: number;
}

interface UsageOptions extends RequestOptions {
  /** Days of history, today included, at most 400; default: none. */
  readonly historyDays?: number;
}

/** Usage of a workspace, and the limits of its organisation. */
export interface Usage {
  readonly workspaceId: string;
  readonly organisationId: string;
  /** Stored by the workspace. */
  readonly stored: StoredBytes;
  /** Stored by all workspaces of the organisation together, bytes; `limits.maxStorageBytes` limits it. */
  readonly organisationStoredBytes: number;
  readonly documents: number;
  /** Pages of the documents that have been opened. */
  readonly pages: number;
  /** Requests since the month began (UTC), counted with a delay of about ten seconds. */
  readonly requestsThisMonth: number;
  /** Requests of the last twelve months (UTC), such as "2026-11", oldest first, this month last. */
  readonly requestsByMonth: readonly { readonly month: string; readonly requests: number }[];
  /** Usage of the last `historyDays` days, oldest first, today last. Days without data are left out. */
  readonly history: readonly DailyUsage[];
  /** Name of the organisation's plan. */
  readonly plan: string;
  /** The lower limits of plan and server. */
  readonly limits: PlanLimits;
}

export interface UsageReport {
  /** Returns the usage of the workspace that the calls go to. */
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
