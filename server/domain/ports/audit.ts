import type { AuditEvent } from "../audit/event.ts";
import type { OrganisationId } from "../ids.ts";
import type { ListResult } from "./list.ts";

export interface AuditQuery {
  readonly organisationId: OrganisationId;
  readonly offset: number;
  readonly limit: number;
  /** How the action begins; any action when empty. */
  readonly action: string;
}

/** Written by the stores whose acts it records; kept for good. */
export interface AuditStore {
  /** Newest first. */
  list(query: AuditQuery): Promise<ListResult<AuditEvent>>;
}
