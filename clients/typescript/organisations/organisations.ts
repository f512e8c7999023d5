import { createClient } from "@connectrpc/connect";
import type { Connection, CreateOptions, RequestOptions } from "../connection.ts";
import { createOnce } from "../creation.ts";
import type { Organisation as WireOrganisation } from "../gen/drs/v1/organisations_pb.ts";
import { OrganisationService } from "../gen/drs/v1/organisations_pb.ts";
import { present } from "../wire-names.ts";

/** An owner of workspaces, members and a plan. */
export interface Organisation {
  readonly id: string;
  readonly name: string;
  /** Name of its plan. */
  readonly plan: string;
  /** Milliseconds since the epoch, UTC. */
  readonly createdAt: number;
}

export interface NewOrganisation {
  readonly organisation: Organisation;
  /** Its first workspace. */
  readonly workspaceId: string;
  /** An admin key with every scope for that workspace; shown only here. */
  readonly apiKey: string;
}

export interface Organisations {
  /** Lists all organisations for the operator of the service, otherwise the caller's own; oldest first. */
  list(options?: RequestOptions): Promise<readonly Organisation[]>;
  /** Only for the operator of the service. `plan`: its name; default: "unlimited". */
  create(
    organisation: { readonly name: string; readonly plan?: string | undefined },
    options?: CreateOptions,
  ): Promise<NewOrganisation>;
  /** Changes an organisation; whatever is left out stays. Only the operator of the service may change the plan. */
  update(
    id: string,
    change: { readonly name?: string | undefined; readonly plan?: string | undefined },
    options?: RequestOptions,
  ): Promise<Organisation>;
}

export function createOrganisations(connection: Connection): Organisations {
  const client = createClient(OrganisationService, connection.transport);
  return {
    async list(options) {
      const answer = await connection.call((call) => client.listOrganisations({}, call), options);
      return answer.data.map(organisationOf);
    },
    async create({ name, plan = "" }, options) {
      const answer = await createOnce(connection, (call) => client.createOrganisation({ name, plan }, call), options);
      const { organisation, workspaceId, apiKey } = present(answer.created, "organisation");
      return { organisation: organisationOf(present(organisation, "organisation")), workspaceId, apiKey };
    },
    async update(id, { name, plan }, options) {
      const answer = await connection.call((call) => client.updateOrganisation({ id, name, plan }, call), options);
      return organisationOf(present(answer.organisation, "organisation"));
    },
  };
}

function organisationOf({ id, name, plan, createdAt }: WireOrganisation): Organisation {
  return { id, name, plan, createdAt };
}
