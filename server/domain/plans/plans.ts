import { actOf } from "../audit/event.ts";
import { type Caller, requireOperator } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { conflict, invalid, notFound } from "../errors.ts";
import { type Plan, type PlanLimits, unlimited } from "./plan.ts";

/** Lists plans by name: all for the operator, otherwise that of the caller's organisation. */
export async function listPlans({ metadata }: Domain, { caller }: { caller: Caller }): Promise<readonly Plan[]> {
  const plans = await metadata.plans.list();
  if (caller.isOperator) return plans;
  const own = await metadata.organisations.get(caller.organisationId);
  return plans.filter(({ name }) => name === own?.plan);
}

/** Creates a plan or changes its limits. Throws `invalid` for a limit that cannot be applied. */
export async function setPlan(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: Plan },
): Promise<Plan> {
  requireOperator(caller, "make and change plans");
  refuseBuiltIn(input.name, "changed");
  for (const [name, limit] of Object.entries(input.limits)) checkLimit(name, limit);
  const act = { action: "plan.set", target: input.name, details: wordsOf(input.limits) } as const;
  await metadata.plans.set(input, actOf(caller, act, clock()));
  return input;
}

/** Deletes a plan. Throws `conflict` while an organisation is on it. */
export async function deletePlan(
  { metadata, clock }: Domain,
  { caller, input: { name } }: { caller: Caller; input: { name: string } },
): Promise<void> {
  requireOperator(caller, "delete plans");
  refuseBuiltIn(name, "deleted");
  const outcome = await metadata.plans.delete(name, actOf(caller, { action: "plan.delete", target: name }, clock()));
  if (outcome === "unknown") throw noSuchPlan(name);
  if (outcome === "in use") {
    throw conflict(`organisations are on the plan ${JSON.stringify(name)}; put them on another one first`);
  }
}

export const noSuchPlan = (name: string): Error =>
  notFound(`there is no plan ${JSON.stringify(name)}`, { reason: "PLAN_NOT_FOUND" });

function refuseBuiltIn(name: string, what: string): void {
  if (name === unlimited) throw conflict(`the plan "${unlimited}" is built in and cannot be ${what}; make another one`);
}

function checkLimit(name: string, limit: number | null): void {
  if (limit === null) return;
  // Days may be fractions; all other limits are whole numbers.
  const isCountable = name === "maxRetentionDays" ? Number.isFinite(limit) : Number.isSafeInteger(limit);
  if (!isCountable || limit <= 0) {
    throw invalid(
      `limits.${name} must be ${name === "maxRetentionDays" ? "a" : "a whole"} number greater than 0; leave it out for no limit`,
    );
  }
}

function wordsOf(limits: PlanLimits): string {
  const set = Object.entries(limits).filter(([, limit]) => limit !== null);
  return set.length === 0 ? "no limits" : set.map(([name, limit]) => `${name} ${limit}`).join(", ");
}
