import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import { afterEach, describe, expect, it } from "vitest";
import { newKeyId, newOrganisationId, newWorkspaceId, parseDatasetId } from "../../server/domain/ids.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { first } from "../../server/storage/metadata/migrations/0001-first.ts";
import { uploads } from "../../server/storage/metadata/migrations/0002-uploads.ts";
import { turns } from "../../server/storage/metadata/migrations/0003-turns.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { openSqlite } from "../../server/storage/metadata/sqlite.ts";
import type { MetadataFixture } from "./fixture.ts";
import { metadataContract } from "./metadata.contract.ts";
import { claimNext, createDataset, createTenant, makeEvent, makePage, morning } from "./records.ts";

async function openSqliteFixture(): Promise<MetadataFixture> {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-metadata-"));
  const connections: Metadata[] = [];
  return {
    async connect() {
      const metadata = await openMetadata({ url: undefined, dataDir });
      connections.push(metadata);
      return metadata;
    },
    async dispose() {
      for (const metadata of connections) await metadata.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

metadataContract("SQLite", openSqliteFixture);

describe("metadata in SQLite", () => {
  const folders: string[] = [];
  const makeFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), "drs-metadata-"));
    folders.push(folder);
    return folder;
  };
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  it("keeps what it has been told over closing and opening", async () => {
    const dataDir = await makeFolder();
    const first = await openMetadata({ url: undefined, dataDir });
    const { workspaceId } = await createTenant(first);
    const { dataset } = await createDataset(first, workspaceId);
    await first.close();
    const second = await openMetadata({ url: undefined, dataDir });
    expect(await second.datasets.get(workspaceId, dataset.id, morning)).toEqual(dataset);
    await second.close();
  });

  it("takes over what the first release has stored: its organisation runs the service, its keys go on", async () => {
    const dataDir = await makeFolder();
    const [organisationId, workspaceId, keyId] = [newOrganisationId(), newWorkspaceId(), newKeyId()];
    const engine = openSqlite(join(dataDir, "metadata.sqlite"));
    const database = new Kysely<Record<string, Record<string, unknown>>>({ dialect: engine.dialect });
    const released = { "0001-first": first, "0002-uploads": uploads, "0003-turns": turns };
    const migrations = Object.fromEntries(
      Object.entries(released).map(([name, up]) => [name, { up: (db: Kysely<unknown>) => up(db, engine) }]),
    );
    const { error } = await new Migrator({
      db: database,
      provider: { getMigrations: async () => migrations },
    }).migrateToLatest();
    expect(error).toBeUndefined();
    const createdAt = morning;
    await database.insertInto("organisations").values({ id: organisationId, name: "default", createdAt }).execute();
    await database
      .insertInto("workspaces")
      .values({ id: workspaceId, organisationId, name: "default", createdAt })
      .execute();
    const key = { id: keyId, organisationId, workspaceId, name: "old", secretSha256: "ab", scopes: "read", createdAt };
    await database.insertInto("apiKeys").values(key).execute();
    await database.destroy();

    const metadata = await openMetadata({ url: undefined, dataDir });
    const operator = { id: organisationId, name: "default", plan: "unlimited", isOperator: true, createdAt };
    expect(await metadata.organisations.operator()).toEqual(operator);
    expect(await metadata.keys.get(keyId)).toMatchObject({
      scopes: ["read"],
      expiresAt: null,
      requestsPerMinute: null,
      replacedBy: null,
    });
    await metadata.close();
  });

  it("gives the file system back what a deleted dataset took", async () => {
    const dataDir = await makeFolder();
    const metadata = await openMetadata({ url: undefined, dataDir });
    const { workspaceId } = await createTenant(metadata);
    const { dataset } = await createDataset(metadata, workspaceId);
    const { lease } = await claimNext(metadata);
    const pages = Array.from({ length: 1000 }, (_, index) =>
      makePage(index + 1, { words: randomBytes(1500).toString("base64") }),
    );
    await metadata.pages.save(lease, dataset.id, pages, morning);
    await metadata.datasets.delete(workspaceId, dataset.id, morning, makeEvent());
    await metadata.close();
    expect((await stat(join(dataDir, "metadata.sqlite"))).size).toBeLessThan(500_000);
  });

  it("can be opened by several processes at once when there is nothing yet", async () => {
    const dataDir = await makeFolder();
    const exits = [1, 2, 3].map(() => once(forkChild("commit-pages", [dataDir, "open only"]), "exit"));
    for (const exit of await Promise.all(exits)) expect(exit).toEqual([0, null]);
  });

  it("loses no acknowledged write when its process is killed while committing", async () => {
    const dataDir = await makeFolder();
    for (let round = 0; round < 3; round++) {
      const child = forkChild("commit-pages", [dataDir]);
      const acknowledged: { datasetId: string; pages: number }[] = [];
      const enough = new Promise<void>((resolve) => {
        child.on("message", (message: { datasetId: string; pages: number }) => {
          if (acknowledged.push(message) === 25 + 10 * round) resolve();
        });
      });
      await enough;
      child.kill("SIGKILL");
      await once(child, "exit");
      const metadata = await openMetadata({ url: undefined, dataDir });
      for (const { datasetId, pages } of acknowledged) {
        const claimed = await findDataset(metadata, datasetId);
        const finished = await metadata.pages.finished(claimed);
        expect(finished.length).toBeGreaterThanOrEqual(pages);
        expect(finished.length % 10).toBe(0);
        expect((await metadata.pages.words(claimed, finished)).size).toBe(finished.length);
      }
      await metadata.close();
    }
  });

  it("says which setting names a database that it does not know, and repeats no password", async () => {
    const opening = openMetadata({ url: "postgres://user:secret@db/drs", dataDir: await makeFolder() });
    await expect(opening).rejects.toThrow(/DRS_DATABASE_URL.*postgres:/);
    await expect(opening).rejects.not.toThrow(/secret/);
  });
});

function forkChild(name: string, args: string[]) {
  const path = new URL(`./children/${name}${extname(import.meta.url)}`, import.meta.url);
  return fork(fileURLToPath(path), args, { execArgv: [] });
}

async function findDataset(metadata: Metadata, id: string) {
  const datasetId = parseDatasetId(id);
  if (datasetId === undefined) throw new Error("not a dataset id");
  expect(await metadata.datasets.getUnscoped(datasetId, morning)).toBeDefined();
  return datasetId;
}
