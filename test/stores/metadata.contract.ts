import { describe } from "vitest";
import { fetchesContract } from "./fetches.contract.ts";
import { filtersContract } from "./filters.contract.ts";
import { type OpenMetadataFixture } from "./testing/metadata.ts";
import { devicesContract } from "./devices.contract.ts";
import { identitiesContract } from "./identities.contract.ts";
import { idempotencyContract } from "./idempotency.contract.ts";
import { itemsContract } from "./items.contract.ts";
import { jobsContract } from "./jobs.contract.ts";
import { keysContract } from "./keys.contract.ts";
import { listsContract } from "./lists.contract.ts";
import { membersContract } from "./members.contract.ts";
import { racesContract } from "./races.contract.ts";
import { organisationsContract } from "./organisations.contract.ts";
import { packsContract } from "./packs.contract.ts";
import { queueContract } from "./queue.contract.ts";
import { roomContract } from "./storage-quota.contract.ts";
import { uploadsContract } from "./uploads.contract.ts";
import { sessionsContract } from "./sessions.contract.ts";
import { usageContract } from "./usage.contract.ts";
import { booksContract } from "./books.contract.ts";
import { claimsContract } from "./claims.contract.ts";
import { datasetsContract } from "./datasets.contract.ts";
import { dutiesContract } from "./duties.contract.ts";
import { webhookDeliveriesContract } from "./webhook-deliveries.contract.ts";
import { versionsContract } from "./versions.contract.ts";
import { webhooksContract } from "./webhooks.contract.ts";

/** What every metadata store must do, whatever the database. */
export function metadataContract(name: string, open: OpenMetadataFixture): void {
  describe(`metadata: ${name}`, () => {
    organisationsContract(open);
    membersContract(open);
    sessionsContract(open);
    identitiesContract(open);
    devicesContract(open);
    keysContract(open);
    datasetsContract(open);
    versionsContract(open);
    filtersContract(open);
    uploadsContract(open);
    fetchesContract(open);
    usageContract(open);
    roomContract(open);
    booksContract(open);
    idempotencyContract(open);
    itemsContract(open);
    packsContract(open);
    jobsContract(open);
    queueContract(open);
    claimsContract(open);
    listsContract(open);
    dutiesContract(open);
    webhooksContract(open);
    webhookDeliveriesContract(open);
    racesContract(open);
  });
}
