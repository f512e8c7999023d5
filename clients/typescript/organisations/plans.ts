import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import type { Plan as WirePlan, PlanLimits as WirePlanLimits } from "../gen/drs/v1/organisations_pb.ts";
import { OrganisationService } from "../gen/drs/v1/organisations_pb.ts";
import { present } from "../wire-names.ts";

/** Limits of an organisation. Null means no limit. */
export interface PlanLimits {
  /** Largest document, bytes. */
  readonly maxUploadBytes: number | null;
  /** Maximum storage of all workspaces together, bytes. */
  readonly maxStorageBytes: number | null;
  /** Longest time that a dataset can be kept, days. */
  readonly maxRetentionDays: number | null;
  /** Requests per minute of one workspace. */
  readonly requestsPerMinute: number | null;
  /** Number of jobs that run at the same time. */
  readonly concurrentJobs: number | null;
  /** Maximum pages of one document. */
  readonly maxPages: number | null;
}

/** Named limits. */
export interface Plan {
  readonly name: string;
  readonly limits: PlanLimits;
}

export interface Plans {
  /** Lists all plans for the operator of the service, otherwise the plan of the caller's organisation; by name. */
  list(options?: RequestOptions): Promise<readonly Plan[]>;
  /** Creates the plan, or replaces all its limits: those left out no longer exist. */
  set(name: string, limits: Partial<PlanLimits>, options?: RequestOptions): Promise<Plan>;
  /** Deletes a plan that no organisation uses. */
  delete(name: string, options?: RequestOptions): Promise<void>;
}

export function createPlans(connection: Connection): Plans {
  const client = createClient(OrganisationService, connection.transport);
  return {
    async list(options) {
      const answer = await connection.call((call) => client.listPlans({}, call), options);
      return answer.data.map(planOf);
    },
    async set(name, limits, options) {
      const { maxUploadBytes, maxStorageBytes, maxRetentionDays, requestsPerMinute, concurrentJobs, maxPages } = limits;
      const wire = {
        maxUploadBytes: maxUploadBytes ?? undefined,
        maxStorageBytes: maxStorageBytes ?? undefined,
        maxRetentionDays: maxRetentionDays ?? undefined,
        requestsPerMinute: requestsPerMinute ?? undefined,
        concurrentJobs: concurrentJobs ?? undefined,
        maxPages: maxPages ?? undefined,
      };
      const answer = await connection.call((call) => client.setPlan({ name, limits: wire }, call), options);
      return planOf(present(answer.plan, "plan"));
    },
    async delete(name, options) {
      await connection.call((call) => client.deletePlan({ name }, call), options);
    },
  };
}

function planOf({ name, limits }: WirePlan): Plan {
  return { name, limits: planLimitsOf(limits) };
}

export function planLimitsOf(limits: WirePlanLimits | undefined): PlanLimits {
  return {
    maxUploadBytes: limits?.maxUploadBytes ?? null,
    maxStorageBytes: limits?.maxStorageBytes ?? null,
    maxRetentionDays: limits?.maxRetentionDays ?? null,
    requestsPerMinute: limits?.requestsPerMinute ?? null,
    concurrentJobs: limits?.concurrentJobs ?? null,
    maxPages: limits?.maxPages ?? null,
  };
}
