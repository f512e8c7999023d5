import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { forbidden } from "../errors.ts";
import { lastMonths, type Usage } from "./usage.ts";

/** A year shows what comes back every year. */
const shownMonths = 12;

/** What the caller's workspace uses. */
export async function getUsage(
  { metadata, limits, limitsOf, clock }: Domain,
  { caller }: { caller: Caller },
): Promise<Usage> {
  if (caller.filter !== undefined) {
    throw forbidden("this API key is bound to a filter, and sees no sums of its whole workspace; use another key");
  }
  const { organisationId, workspaceId } = caller;
  const months = lastMonths(clock(), shownMonths);
  const [holdings, { plan, storedBytes }, counted, allowed] = await Promise.all([
    metadata.usage.ofWorkspace(workspaceId),
    metadata.usage.storage(workspaceId),
    metadata.usage.requestsSince(workspaceId, months[0] ?? ""),
    limitsOf(organisationId),
  ]);
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
    plan,
    limits: { ...allowed, maxUploadBytes },
  };
}
