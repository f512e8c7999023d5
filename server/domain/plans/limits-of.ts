import type { Clock } from "../clock.ts";
import type { OrganisationId } from "../ids.ts";
import type { Metadata } from "../ports/metadata.ts";
import { noLimits, type PlanLimits } from "./plan.ts";

/** Returns the limits of an organisation's plan; a change of plan takes effect within seconds. */
export type LimitsOf = (organisationId: OrganisationId) => Promise<PlanLimits>;

/** The limits are needed for every request, so they are cached. */
const freshMs = 5_000;
/** More organisations than call within that time. */
const maxCached = 10_000;

export function createLimitsOf(
  { organisations, plans }: Pick<Metadata, "organisations" | "plans">,
  clock: Clock,
): LimitsOf {
  const cached = new Map<OrganisationId, { readonly limits: Promise<PlanLimits>; readonly until: number }>();
  const read = async (id: OrganisationId): Promise<PlanLimits> => {
    const organisation = await organisations.get(id);
    return (organisation && (await plans.get(organisation.plan)))?.limits ?? noLimits;
  };
  return (id) => {
    const now = clock();
    const known = cached.get(id);
    if (known !== undefined && known.until > now) return known.limits;
    if (cached.size >= maxCached) cached.clear();
    const limits = read(id);
    cached.set(id, { limits, until: now + freshMs });
    limits.catch(() => cached.delete(id));
    return limits;
  };
}
