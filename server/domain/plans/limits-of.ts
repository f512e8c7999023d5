import type { Clock } from "../clock.ts";
import type { OrganisationId } from "../ids.ts";
import type { Metadata } from "../ports/metadata.ts";
import { noLimits, type PlanLimits } from "./plan.ts";

/** What an organisation may use, as its plan says; a change of plan shows within seconds. */
export type LimitsOf = (organisationId: OrganisationId) => Promise<PlanLimits>;

/** Asked for with every request, so not read every time. */
const freshMs = 5_000;
/** More organisations than call within that time. */
const maxKept = 10_000;

export function createLimitsOf(
  { organisations, plans }: Pick<Metadata, "organisations" | "plans">,
  clock: Clock,
): LimitsOf {
  const kept = new Map<OrganisationId, { readonly limits: Promise<PlanLimits>; readonly until: number }>();
  const read = async (id: OrganisationId): Promise<PlanLimits> => {
    const organisation = await organisations.get(id);
    return (organisation && (await plans.get(organisation.plan)))?.limits ?? noLimits;
  };
  return (id) => {
    const now = clock();
    const known = kept.get(id);
    if (known !== undefined && known.until > now) return known.limits;
    if (kept.size >= maxKept) kept.clear();
    const limits = read(id);
    kept.set(id, { limits, until: now + freshMs });
    limits.catch(() => kept.delete(id));
    return limits;
  };
}
