import type { AuditEvent } from "../audit/event.ts";
import type { OrganisationId } from "../ids.ts";
import type { ListResult } from "./list.ts";

export interface AuditQuery {
  readonly organisationId: OrganisationId;
  readonly offset: number;
  readonly limit: number;
  /** Prefix of the action; empty for any action. */
  readonly action: string;
  /** Actor as in `AuditEvent`; undefined for any actor. */
  readonly actor?: string | undefined;
  /** Inclusive. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
}

/** Reads the audit log. The stores whose acts it records write it; entries are kept for good. */
export interface AuditStore {
  /** Newest first. */
  list(query: AuditQuery): Promise<ListResult<AuditEvent>>;
}
