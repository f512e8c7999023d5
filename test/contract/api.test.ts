import { afterAll, beforeAll, describe } from "vitest";
import { accessCases } from "./cases/access.ts";
import { datasetsCases } from "./cases/datasets.ts";
import { isolationCases } from "./cases/isolation.ts";
import { itemsCases } from "./cases/items.ts";
import { jobsCases } from "./cases/jobs.ts";
import { searchCases } from "./cases/search.ts";
import { sharesCases } from "./cases/shares.ts";
import { uploadsCases } from "./cases/uploads.ts";
import { workspacesCases } from "./cases/workspaces.ts";
import { createScene } from "./scene.ts";
import { createWorld, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.remove());

describe.each(["REST", "Connect", "gRPC", "gRPC-Web"])("%s", (protocol) => {
  const scene = createScene(protocol, () => world);
  uploadsCases(scene);
  datasetsCases(scene);
  itemsCases(scene);
  jobsCases(scene);
  searchCases(scene);
  sharesCases(scene);
  workspacesCases(scene);
  accessCases(scene);
  isolationCases(scene);
});
