import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { OrganisationService } from "../gen/drs/v1/organisations_pb.ts";
import { defaultLimit, entriesOf, type ListQuery, type Page, type PageQuery } from "../pages.ts";

/** An administrative act or a deletion. */
export interface AuditEvent {
  readonly id: string;
  /** Milliseconds since the epoch, UTC. */
  readonly at: number;
  /** `key <id>`, `member <id>` or `service`. */
  readonly actor: string;
  /** The action, such as `dataset.delete`, `key.create`, `member.invite`. */
  readonly action: string;
  /** An id, or the name of a plan. */
  readonly target: string;
  /** Null if it concerns the whole organisation. */
  readonly workspaceId: string | null;
  /** Details in a few words; often empty. */
  readonly details: string;
}

export interface AuditFilter {
  /** Only events whose action has this prefix, such as `key.`; default: all. */
  readonly action?: string | undefined;
  /** Only events of this actor, spelled as in events; default: all. */
  readonly actor?: string | undefined;
  /** Only events at this time or later, milliseconds since the epoch, UTC. */
  readonly since?: number | undefined;
  /** Only events before this time. */
  readonly until?: number | undefined;
}

/** The audit log, for owners and for keys with the admin scope. */
export interface Audit {
  /** Lists the events of the organisation, newest first. */
  list(query?: AuditFilter & ListQuery, options?: RequestOptions): AsyncIterable<AuditEvent>;
  page(query?: AuditFilter & PageQuery, options?: RequestOptions): Promise<Page<AuditEvent>>;
}

export function createAudit(connection: Connection): Audit {
  const client = createClient(OrganisationService, connection.transport);
  const audit: Audit = {
    list: (query = {}, options) => entriesOf(query, (part) => audit.page({ ...query, ...part }, options)),
    async page({ action = "", actor = "", since, until, offset = 0, limit = defaultLimit } = {}, options) {
      const request = { action, actor, since, until, offset, limit };
      const answer = await connection.call((call) => client.listAuditEvents(request, call), options);
      const data = answer.data.map(({ id, at, actor: by, action: done, target, workspaceId, details }) => {
        return {
          id,
          at,
          actor: by,
          action: done,
          target,
          workspaceId: workspaceId === "" ? null : workspaceId,
          details,
        };
      });
      return { total: answer.total, offset, limit, data };
    },
  };
  return audit;
}
