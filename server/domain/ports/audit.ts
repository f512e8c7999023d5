import type { AuditEvent } from "../audit/event.ts";
import type { OrganisationId } from "../ids.ts";
import type { ListResult } from "./list.ts";

export interface AuditQuery {
  readonly organisationId: OrganisationId;
  readonly offset: number;
  readonly limit: number;
  /** How the action begins; any action when empty. */
  readonly action: string;
  /** As events have it; anyone when undefined. */
  readonly actor?: string | undefined;
  /** At this time or later. */
  readonly since?: number | undefined;
  /** Before this time. */
  readonly until?: number | undefined;
}

/** Written by the stores whose acts it records; kept for good. */
export interface AuditStore {
  /** Newest first. */
  list(query: AuditQuery): Promise<ListResult<AuditEvent>>;
}
