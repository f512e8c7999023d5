import type { AuditEvent } from "../audit/event.ts";
import type { OrganisationId, WorkspaceId } from "../ids.ts";
import type { Organisation } from "../organisations/organisation.ts";
import type { Plan, PlanLimits } from "../plans/plan.ts";
import type { ApiKey, Workspace } from "../workspaces/workspace.ts";

/** A new organisation, with the workspace and the key without which no caller could reach it. */
export interface Founding {
  readonly organisation: Organisation;
  readonly workspace: Workspace;
  readonly key: ApiKey;
}

/** Every change logs its audit events in the same transaction. */
export interface OrganisationStore {
  /**
   * Returns false and creates nothing if the plan does not exist, or another organisation runs the service already.
   */
  create(founding: Founding, events: readonly AuditEvent[]): Promise<boolean>;
  get(id: OrganisationId): Promise<Organisation | undefined>;
  /** The organisation that runs the service, or undefined on a fresh store. */
  operator(): Promise<Organisation | undefined>;
  /** Oldest first. */
  list(): Promise<readonly Organisation[]>;
  /** Undefined fields stay as they are. "no plan": the plan does not exist, and nothing is changed. */
  update(
    id: OrganisationId,
    change: { readonly name: string | undefined; readonly plan: string | undefined },
    events: readonly AuditEvent[],
  ): Promise<Organisation | "no plan" | undefined>;
}

/** Every change logs its audit event in the same transaction. The plan `unlimited` exists from the start. */
export interface PlanStore {
  /** The limits of a workspace's plan; undefined if there is none. */
  ofWorkspace(workspaceId: WorkspaceId): Promise<PlanLimits | undefined>;
  get(name: string): Promise<Plan | undefined>;
  /** Ordered by name. */
  list(): Promise<readonly Plan[]>;
  /** Creates the plan, or replaces the limits of the one with that name. */
  set(plan: Plan, event: AuditEvent): Promise<void>;
  /** Deletes the plan unless an organisation is on it. */
  delete(name: string, event: AuditEvent): Promise<"deleted" | "in use" | "unknown">;
}
