import type { Transport } from "@connectrpc/connect";
import { connect, type DrsOptions, type RequestOptions } from "./connection.ts";
import { createDatasets, type Datasets } from "./datasets/datasets.ts";
import { createItems, type Items } from "./items/items.ts";
import { createJobs, type Jobs } from "./jobs/jobs.ts";
import { createMembers, type Members } from "./members/members.ts";
import { createSignIn, type SignIn } from "./members/sign-in.ts";
import { createModels, type Models } from "./models/models.ts";
import { type Audit, createAudit } from "./organisations/audit.ts";
import { createOrganisations, type Organisations } from "./organisations/organisations.ts";
import { createPlans, type Plans } from "./organisations/plans.ts";
import { createSearch, createSearchMany, type Search, type SearchMany } from "./search/search.ts";
import { createDevices, type Devices } from "./devices/devices.ts";
import { createSessions, type Sessions } from "./sessions/sessions.ts";
import { type Download, download, type Downloadable } from "./shares/download.ts";
import { createLinks, type Links } from "./shares/share.ts";
import { createUploads, type Uploads } from "./uploads/uploads.ts";
import { createUsage, type UsageReport } from "./usage/usage.ts";
import { createWebhooks, type Webhooks } from "./webhooks/webhooks.ts";
import { createKeys, createWorkspaces, type Keys, type Workspaces } from "./workspaces/workspaces.ts";

/** The service, by its resources. Every failure is a `DrsError`; an aborted call rejects with its signal's reason. */
export interface Drs extends SignIn, UsageReport {
  readonly datasets: Datasets;
  readonly items: Items;
  readonly jobs: Jobs;
  /** Uploads in parts that have not ended. */
  readonly uploads: Uploads;
  readonly search: Search;
  readonly searchMany: SearchMany;
  /** Sessions of signed-in browsers. */
  readonly sessions: Sessions;
  readonly devices: Devices;
  /** Needs a key with the admin scope. */
  readonly workspaces: Workspaces;
  /** Needs a key with the admin scope. */
  readonly keys: Keys;
  /** Organisations; they need the admin scope, as do plans, members and the audit log. */
  readonly organisations: Organisations;
  readonly plans: Plans;
  readonly members: Members;
  readonly audit: Audit;
  /** Needs the admin scope. */
  readonly models: Models;
  /** The keys that sign share links. They need the admin scope. */
  readonly links: Links;
  /** Addresses that are notified of events. They need the admin scope. */
  readonly webhooks: Webhooks;
  /** Opens the share link of a dataset or an item. */
  download(shared: Downloadable, options?: RequestOptions): Promise<Download>;
  /**
   * For calls with the generated code: `createClient(JobService, drs.transport)`. They carry no API key by themselves.
   */
  readonly transport: Transport;
}

/**
 * Creates a client of the service at `server`. Throws `TypeError` if that is not an http or https address; nothing is
 * sent before the first call.
 */
export function createDrs(options: DrsOptions): Drs {
  const connection = connect(options);
  return {
    datasets: createDatasets(connection),
    items: createItems(connection),
    jobs: createJobs(connection),
    uploads: createUploads(connection),
    search: createSearch(connection),
    sessions: createSessions(connection),
    devices: createDevices(connection),
    searchMany: createSearchMany(connection),
    workspaces: createWorkspaces(connection),
    keys: createKeys(connection),
    organisations: createOrganisations(connection),
    plans: createPlans(connection),
    members: createMembers(connection),
    audit: createAudit(connection),
    models: createModels(connection),
    links: createLinks(connection),
    webhooks: createWebhooks(connection),
    ...createSignIn(connection),
    ...createUsage(connection),
    download: (shared, request) => download(connection, shared, request),
    transport: connection.transport,
  };
}
