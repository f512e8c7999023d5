import { actOfService, type AuditEvent } from "../audit/event.ts";
import { keyScopes } from "../caller.ts";
import { newOrganisationId, newWorkspaceId } from "../ids.ts";
import type { Founding } from "../ports/organisations.ts";
import { type IssuedKey, newKey } from "../workspaces/keys.ts";
import type { Organisation } from "../workspaces/workspace.ts";

type OrganisationFields = Pick<Organisation, "name" | "plan" | "isOperator">;

/** Creates an organisation with the workspace `default`, to be stored together. */
export function newOrganisation(fields: OrganisationFields, now: number): Pick<Founding, "organisation" | "workspace"> {
  const organisation: Organisation = { id: newOrganisationId(), ...fields, createdAt: now };
  return {
    organisation,
    workspace: { id: newWorkspaceId(), organisationId: organisation.id, name: "default", createdAt: now },
  };
}

/** Creates an organisation with a workspace and a key with every scope, to be stored together. */
export function newFounding(
  { keyName, ...fields }: OrganisationFields & { readonly keyName: string },
  now: number,
): Founding & { readonly key: IssuedKey } {
  const { organisation, workspace } = newOrganisation(fields, now);
  const grant = { organisationId: organisation.id, workspaceId: workspace.id, name: keyName, scopes: keyScopes };
  return { organisation, workspace, key: newKey({ ...grant, expiresAt: null, requestsPerMinute: null }, now) };
}

/** The first entries of the new organisation's own log. */
export function foundingEvents({
  organisation,
  workspace,
  key,
}: Omit<Founding, "key"> & Partial<Pick<Founding, "key">>): readonly AuditEvent[] {
  const { id, name, createdAt } = organisation;
  const workspaceId = workspace.id;
  return [
    actOfService(id, { action: "organisation.create", target: id, details: JSON.stringify(name) }, createdAt),
    actOfService(
      id,
      { action: "workspace.create", target: workspaceId, workspaceId, details: workspace.name },
      createdAt,
    ),
    ...(key === undefined
      ? []
      : [
          actOfService(
            id,
            {
              action: "key.create",
              target: key.id,
              workspaceId,
              details: `${JSON.stringify(key.name)}: ${key.scopes.join(", ")}`,
            },
            createdAt,
          ),
        ]),
  ];
}
