import { type Caller, requireOwner } from "../caller.ts";
import { defaultLimit } from "../datasets/list.ts";
import type { Domain } from "../domain.ts";
import type { ListResult } from "../list.ts";
import type { AuditEvent } from "./event.ts";

export interface ListAuditEventsInput {
  readonly offset: number;
  readonly limit: number | undefined;
  /** Prefix of the action; empty for all actions. */
  readonly action: string;
  /** Actor as in `AuditEvent`; empty for any actor. */
  readonly actor: string;
  /** Milliseconds since the epoch: `since` is inclusive, `until` exclusive. */
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** Lists the audit log of the caller's organisation, newest first. For owners only. */
export async function listAuditEvents(
  { metadata }: Domain,
  { caller, input }: { caller: Caller; input: ListAuditEventsInput },
): Promise<ListResult<AuditEvent>> {
  requireOwner(caller, "read the audit log");
  const { offset, limit = defaultLimit, action, actor, since, until } = input;
  const filters = { action, since, until, ...(actor !== "" && { actor }) };
  return metadata.audit.list({ organisationId: caller.organisationId, offset, limit, ...filters });
}
