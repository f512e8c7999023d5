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

/** Every change enters its audit events in the same transaction. */
export interface OrganisationStore {
  /** False, and nothing is created, if there is no plan of that name, or another organisation runs the service already. */
  create(founding: Founding, events: readonly AuditEvent[]): Promise<boolean>;
  get(id: OrganisationId): Promise<Organisation | undefined>;
  /** The one that runs the service, or undefined on a fresh store. */
  operator(): Promise<Organisation | undefined>;
  /** Oldest first. */
  list(): Promise<readonly Organisation[]>;
  /** What is left out stays as it is. "no plan": there is no plan of that name, nothing is changed. */
  update(
    id: OrganisationId,
    change: { readonly name: string | undefined; readonly plan: string | undefined },
    events: readonly AuditEvent[],
  ): Promise<Organisation | "no plan" | undefined>;
}

/** Every change enters its audit event in the same transaction. The plan `unlimited` is there from the start. */
export interface PlanStore {
  /** The limits of the plan that bounds a workspace; undefined: none. */
  ofWorkspace(workspaceId: WorkspaceId): Promise<PlanLimits | undefined>;
  get(name: string): Promise<Plan | undefined>;
  /** By name. */
  list(): Promise<readonly Plan[]>;
  /** Makes the plan, or replaces the limits of the one of that name. */
  set(plan: Plan, event: AuditEvent): Promise<void>;
  /** Only if no organisation is on it. */
  delete(name: string, event: AuditEvent): Promise<"deleted" | "in use" | "unknown">;
}
