import type { OrganisationId } from "../ids.ts";

/** An owner of workspaces, members and a plan. */
export interface Organisation {
  readonly id: OrganisationId;
  readonly name: string;
  /** Name of the plan that limits it. */
  readonly plan: string;
  /** True for the one organisation that runs the service: the one of the first start. */
  readonly isOperator: boolean;
  readonly createdAt: number;
}
