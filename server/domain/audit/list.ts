import { type Caller, requireOwner } from "../caller.ts";
import { defaultLimit } from "../datasets/list.ts";
import type { Domain } from "../domain.ts";
import type { ListResult } from "../ports/list.ts";
import type { AuditEvent } from "./event.ts";

export interface ListAuditEventsInput {
  readonly offset: number;
  readonly limit: number | undefined;
  /** Only events whose action begins so; all when empty. */
  readonly action: string;
  /** As events have it; anyone when empty. */
  readonly actor: string;
  /** Milliseconds since the epoch: at this time or later, and before that one. */
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** What was done in the caller's organisation, newest first. For owners. */
export async function listAuditEvents(
  { metadata }: Domain,
  { caller, input }: { caller: Caller; input: ListAuditEventsInput },
): Promise<ListResult<AuditEvent>> {
  requireOwner(caller, "read the audit log");
  const { offset, limit = defaultLimit, action, actor, since, until } = input;
  const wanted = { action, since, until, ...(actor !== "" && { actor }) };
  return metadata.audit.list({ organisationId: caller.organisationId, offset, limit, ...wanted });
}
