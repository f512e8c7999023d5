import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copyBuiltinPack } from "../../test/fixtures/model-pack.ts";
import { createPackFolders } from "../embedding/registry.ts";
import { settleModel } from "./model.ts";
import { closeStores, openStores, type Stores } from "../stores.ts";

describe("the pack in use at a start", () => {
  let dataDir: string;
  let modelsDir: string;
  let stores: Stores;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "drs-settle-"));
    modelsDir = join(dataDir, "models");
    await copyBuiltinPack(join(modelsDir, "copy@1.0.0"), { id: "copy", version: "1.0.0" });
    stores = await openStores({ dataDir, databaseUrl: undefined, blobUrl: undefined, vectorUrl: undefined });
  });
  afterEach(async () => {
    await closeStores(stores);
    await rm(dataDir, { recursive: true });
  });

  const inUse = async (): Promise<string | undefined> =>
    (await stores.metadata.packs.list()).find((pack) => pack.isInUse)?.id;
  const start = async (model?: string, isShared = false): Promise<string | undefined> => {
    await settleModel(stores, { model, modelsDir, isShared });
    return inUse();
  };

  it("is the built-in one at first, then the one that was chosen last", async () => {
    expect(await start()).toMatch(/^builtin@/);
    expect(await start("copy")).toBe("copy@1.0.0");
    expect(await start()).toBe("copy@1.0.0");
    expect(await start("builtin")).toMatch(/^builtin@/);
    expect(await start(join(modelsDir, "copy@1.0.0"))).toBe("copy@1.0.0");
    expect(await start()).toBe("copy@1.0.0");
  });

  it("is not changed to one that is not there, or is gone", async () => {
    await start();
    await expect(start("unknown")).rejects.toThrow(/no model pack unknown.*drs models list/);
    expect(await inUse()).toMatch(/^builtin@/);
    await start("copy");
    await rm(join(modelsDir, "copy@1.0.0"), { recursive: true });
    await expect(start()).rejects.toThrow(/no model pack copy@1\.0\.0/);
    expect(await start("builtin")).toMatch(/^builtin@/);
  });

  it("follows the version of the built-in pack that comes with drs", async () => {
    const older = { id: "builtin@0.0.1", model: "builtin", manifest: "{}" };
    await stores.metadata.packs.use(older, 1);
    expect(await start()).not.toBe(older.id);
    expect((await stores.metadata.packs.list()).map(({ id }) => id)).toContain(older.id);
  });

  it("stays where processes of other versions are at work, until another one is named", async () => {
    const newer = { id: "builtin@99.0.0", model: "builtin", manifest: "{}" };
    expect(await start(undefined, true)).toMatch(/^builtin@1/);
    await stores.metadata.packs.use(newer, 1);
    expect(await start(undefined, true)).toBe(newer.id);
    // As a process of the version before would start once more.
    expect(await start("builtin", true)).toBe(newer.id);
    expect(await start("copy", true)).toBe("copy@1.0.0");
    await rm(join(modelsDir, "copy@1.0.0"), { recursive: true });
    expect(await start(undefined, true)).toBe("copy@1.0.0");
    expect(await start("builtin", true)).toMatch(/^builtin@1/);
    await stores.metadata.packs.use({ ...newer, id: "builtin@0.9.12" }, 1);
    expect(await start(undefined, true)).toBe("builtin@0.9.12");
    expect(await start("builtin", true)).toMatch(/^builtin@1/);
  });

  it("is found among the installed packs where it is the built-in one of another version", async () => {
    const folders = createPackFolders(stores.metadata.packs, modelsDir);
    await stores.metadata.packs.use({ id: "builtin@0.9.0", model: "builtin", manifest: "{}" }, 1);
    expect(await folders.find("builtin@0.9.0")).toBeUndefined();
    const kept = join(modelsDir, "builtin@0.9.0");
    await copyBuiltinPack(kept, { id: "builtin", version: "0.9.0" });
    expect(await folders.find("builtin@0.9.0")).toBe(kept);
    // That name still means the one that comes with this version.
    expect(await start("builtin")).toMatch(/^builtin@1/);
  });
});
