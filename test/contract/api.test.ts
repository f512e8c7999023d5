import { afterAll, beforeAll, describe } from "vitest";
import { accessCases } from "./cases/access.ts";
import { boundKeysCases } from "./cases/bound-keys.ts";
import { datasetsCases } from "./cases/datasets.ts";
import { idempotencyCases } from "./cases/idempotency.ts";
import { isolationCases } from "./cases/isolation.ts";
import { itemsCases } from "./cases/items.ts";
import { jobsCases } from "./cases/jobs.ts";
import { keysCases } from "./cases/keys.ts";
import { auditCases } from "./cases/audit.ts";
import { membersCases } from "./cases/members.ts";
import { metadataCases } from "./cases/metadata.ts";
import { modelsCases } from "./cases/models.ts";
import { organisationsCases } from "./cases/organisations.ts";
import { searchCases } from "./cases/search.ts";
import { severalCases } from "./cases/several.ts";
import { sameBytesCases } from "./cases/same-bytes.ts";
import { sharesCases } from "./cases/shares.ts";
import { uploadSessionsCases } from "./cases/upload-sessions.ts";
import { uploadsCases } from "./cases/uploads.ts";
import { usageCases } from "./cases/usage.ts";
import { versionsCases } from "./cases/versions.ts";
import { webhooksCases } from "./cases/webhooks.ts";
import { workspacesCases } from "./cases/workspaces.ts";
import { hasSharedStores } from "../service/shared-stores.ts";
import { isQuick } from "../service/tier.ts";
import { createScene } from "./scene.ts";
import { createWorld, type World } from "./world.ts";

/** No store knows which protocol a call came by: on shared stores the cases of one show all that the stores have to do with. */
const protocols = hasSharedStores || isQuick ? ["REST"] : ["REST", "Connect", "gRPC", "gRPC-Web"];

describe.each(protocols)("%s", (protocol) => {
  // One for each, so that what all the cases leave behind fits in one answer of a list.
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.remove());

  const scene = createScene(protocol, () => world);
  uploadsCases(scene);
  uploadSessionsCases(scene);
  sameBytesCases(scene);
  datasetsCases(scene);
  versionsCases(scene);
  itemsCases(scene);
  jobsCases(scene);
  searchCases(scene);
  severalCases(scene);
  sharesCases(scene);
  workspacesCases(scene);
  webhooksCases(scene);
  keysCases(scene);
  membersCases(scene);
  metadataCases(scene);
  boundKeysCases(scene);
  modelsCases(scene);
  usageCases(scene);
  organisationsCases(scene);
  auditCases(scene);
  accessCases(scene);
  isolationCases(scene);
  idempotencyCases(scene);
});
