import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { forbidden, invalid } from "../errors.ts";
import { type DailyUsage, dayOf, daysBefore, lastMonths, maxHistoryDays, totalBytes, type Usage } from "./usage.ts";

/** A year of history shows what recurs every year. */
const shownMonths = 12;

/** Reads the usage of the caller's workspace, and its history of the last days, today included. */
export async function getUsage(
  { metadata, limits, limitsOf, clock }: Domain,
  { caller, historyDays }: { caller: Caller; historyDays: number },
): Promise<Usage> {
  if (historyDays > maxHistoryDays) throw invalid(`historyDays is at most ${maxHistoryDays}: older days are not kept`);
  if (caller.filter !== undefined) {
    throw forbidden("this API key is bound to a filter, and sees no sums of its whole workspace; use another key", {
      reason: "FILTER_VIOLATED",
    });
  }
  const { organisationId, workspaceId } = caller;
  const now = clock();
  const today = dayOf(now);
  const months = lastMonths(now, shownMonths);
  const [holdings, { plan, storedBytes }, counted, allowed, days] = await Promise.all([
    metadata.usage.ofWorkspace(workspaceId),
    metadata.usage.storage(workspaceId),
    metadata.usage.requestsSince(workspaceId, months[0] ?? ""),
    limitsOf(organisationId),
    historyDays > 1
      ? metadata.usage.history(workspaceId, { from: daysBefore(now, historyDays - 1), before: today })
      : [],
  ]);
  const { stored, documents, pages } = holdings;
  const ofToday: DailyUsage = {
    day: today,
    storedBytes: totalBytes(stored),
    documents,
    pages,
    organisationStoredBytes: storedBytes,
  };
  const requestsByMonth = months.map((month) => ({
    month,
    requests: counted.find((count) => count.month === month)?.requests ?? 0,
  }));
  const maxUploadBytes = Math.min(limits.maxDocumentBytes, allowed.maxUploadBytes ?? Infinity);
  return {
    ...holdings,
    workspaceId,
    organisationId,
    organisationStoredBytes: storedBytes,
    requestsThisMonth: requestsByMonth.at(-1)?.requests ?? 0,
    requestsByMonth,
    history: historyDays === 0 ? [] : [...days, ofToday],
    plan,
    limits: { ...allowed, maxUploadBytes },
  };
}
