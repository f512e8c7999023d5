import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPacks } from "../../../domain/models/packs.ts";
import { openPackRegistry } from "../../../embedding/registry.ts";
import { settleModel } from "../../../models.ts";
import { closeStores, openStores, type Stores } from "../../../stores.ts";
import { startDescribing } from "./describe-missing.ts";

let dataDir: string;
let stores: Stores;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-describe-"));
  stores = await openStores({ dataDir, databaseUrl: undefined, blobUrl: undefined, vectorUrl: undefined });
});
afterEach(async () => {
  await closeStores(stores);
  await rm(dataDir, { recursive: true, force: true });
});

test("where no document has vectors their database is not opened", async () => {
  // Opening it makes the folder anew.
  await rm(join(dataDir, "vectors"), { recursive: true });
  const modelsDir = join(dataDir, "models");
  await settleModel(stores, { model: undefined, modelsDir, isShared: false });
  const step = startDescribing(
    {
      ...stores,
      packs: createPacks(stores.metadata.packs, openPackRegistry(modelsDir)),
      maintenance: { request: () => undefined },
      clock: Date.now,
      log: pino({ level: "silent" }),
    },
    { turn: () => Promise.resolve() },
  );
  expect(await step()).toBe(false);
  expect(existsSync(join(dataDir, "vectors"))).toBe(false);
});
