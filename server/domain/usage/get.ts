import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { forbidden } from "../errors.ts";
import { monthOf, type Usage } from "./usage.ts";

/** What the caller's workspace uses. */
export async function getUsage(
  { metadata, limits, limitsOf, clock }: Domain,
  { caller }: { caller: Caller },
): Promise<Usage> {
  if (caller.filter !== undefined) {
    throw forbidden("this API key is bound to a filter, and sees no sums of its whole workspace; use another key");
  }
  const { organisationId, workspaceId } = caller;
  const [holdings, { plan, storedBytes }, requestsThisMonth, allowed] = await Promise.all([
    metadata.usage.ofWorkspace(workspaceId),
    metadata.usage.storage(workspaceId),
    metadata.usage.requests(workspaceId, monthOf(clock())),
    limitsOf(organisationId),
  ]);
  const maxUploadBytes = Math.min(limits.maxDocumentBytes, allowed.maxUploadBytes ?? Infinity);
  return {
    ...holdings,
    workspaceId,
    organisationId,
    organisationStoredBytes: storedBytes,
    requestsThisMonth,
    plan,
    limits: { ...allowed, maxUploadBytes },
  };
}
