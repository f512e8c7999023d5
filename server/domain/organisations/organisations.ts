import { type Act, actOf, actOfService, type AuditEvent } from "../audit/event.ts";
import { type Caller, requireOperator, requireOwner } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { notFound } from "../errors.ts";
import { type OrganisationId, parseOrganisationId } from "../ids.ts";
import { cleanName } from "../names.ts";
import { unlimited } from "../plans/plan.ts";
import { noSuchPlan } from "../plans/plans.ts";
import type { IssuedKey } from "../workspaces/keys.ts";
import type { Organisation, Workspace } from "../workspaces/workspace.ts";
import { foundingEvents, newFounding } from "./found.ts";
import { defaultLimit } from "../datasets/read.ts";
import type { ListResult } from "../list.ts";

/** Creates an organisation with a workspace and an admin key for it. Throws `not_found` for an unknown plan. */
export async function createOrganisation(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: { name: string; plan: string } },
): Promise<{ readonly organisation: Organisation; readonly workspace: Workspace; readonly key: IssuedKey }> {
  requireOperator(caller, "create organisations");
  const name = cleanName(input.name);
  const plan = input.plan === "" ? unlimited : input.plan;
  const now = clock();
  const founding = newFounding({ name, plan, isOperator: false, keyName: "first key" }, now);
  const { id } = founding.organisation;
  const details = `${JSON.stringify(name)}, plan ${plan}`;
  const event = actOf(caller, { action: "organisation.create", target: id, details }, now);
  if (!(await metadata.organisations.create(founding, [event, ...foundingEvents(founding)]))) throw noSuchPlan(plan);
  return founding;
}

/** Lists all organisations for the operator, otherwise the caller's own; oldest first. */
export async function listOrganisations(
  { metadata }: Domain,
  { caller }: { caller: Caller },
): Promise<readonly Organisation[]> {
  if (caller.isOperator) return metadata.organisations.list();
  const own = await metadata.organisations.get(caller.organisationId);
  return own === undefined ? [] : [own];
}

export interface UpdateOrganisationInput {
  readonly id: string;
  /** Undefined for no change, as for `plan`. */
  readonly name: string | undefined;
  readonly plan: string | undefined;
}

/**
 * Renames an organisation or puts it on another plan. Throws `not_found` if the caller does not see it, and
 * `forbidden` for the plan unless the caller runs the service.
 */
export async function updateOrganisation(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: UpdateOrganisationInput },
): Promise<Organisation> {
  const { plan } = input;
  const id = parseOrganisationId(input.id);
  if (id === undefined || (id !== caller.organisationId && !caller.isOperator)) throw noSuchOrganisation(input.id);
  if (plan !== undefined) requireOperator(caller, "change the plan of an organisation");
  const name = input.name === undefined ? undefined : cleanName(input.name);
  const details = [
    ...(name === undefined ? [] : [`name ${JSON.stringify(name)}`]),
    ...(plan === undefined ? [] : [`plan ${plan}`]),
  ];
  const act = { action: "organisation.update", target: id, details: details.join(", ") } as const;
  const events = details.length === 0 ? [] : eventsIn(caller, id, act, clock());
  const updated = await metadata.organisations.update(id, { name, plan }, events);
  if (updated === undefined) throw noSuchOrganisation(input.id);
  if (updated === "no plan") throw noSuchPlan(plan ?? "");
  return updated;
}

/** An act on an organisation is logged both in the acting organisation and in its own. */
function eventsIn(caller: Caller, id: OrganisationId, act: Act, at: number): readonly AuditEvent[] {
  const event = actOf(caller, act, at);
  return id === caller.organisationId ? [event] : [event, actOfService(id, act, at)];
}

const noSuchOrganisation = (id: string): Error =>
  notFound(`there is no organisation ${JSON.stringify(id)}`, { reason: "ORGANISATION_NOT_FOUND" });

export interface ListAuditEventsInput {
  readonly offset: number;
  readonly limit: number | undefined;
  /** Prefix of the action; empty for all actions. */
  readonly action: string;
  /** Actor as in `AuditEvent`; empty for any actor. */
  readonly actor: string;
  /** Milliseconds since the epoch: `since` is inclusive, `until` exclusive. */
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** Lists the audit log of the caller's organisation, newest first. For owners only. */
export async function listAuditEvents(
  { metadata }: Domain,
  { caller, input }: { caller: Caller; input: ListAuditEventsInput },
): Promise<ListResult<AuditEvent>> {
  requireOwner(caller, "read the audit log");
  const { offset, limit = defaultLimit, action, actor, since, until } = input;
  const filters = { action, since, until, ...(actor !== "" && { actor }) };
  return metadata.audit.list({ organisationId: caller.organisationId, offset, limit, ...filters });
}
