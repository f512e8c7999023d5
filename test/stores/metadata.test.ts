import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cp, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Kysely, type RawBuilder } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parseDatasetId } from "../../server/domain/ids.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import type { Engine } from "../../server/storage/metadata/engine.ts";
import { openPostgres } from "../../server/storage/metadata/postgres/engine.ts";
import { openSqlite } from "../../server/storage/metadata/sqlite.ts";
import { type PostgresServer, startPostgres, withoutPostgres } from "../servers/postgres.ts";
import { type MetadataFixture, storeClock } from "./testing/metadata.ts";
import { metadataContract } from "./metadata.contract.ts";
import { claimNext, createDataset, createTenant, makeEvent, makePage, morning, removeRows } from "./testing/records.ts";

async function runStatement(engine: Engine, statement: RawBuilder<unknown>): Promise<void> {
  const db = new Kysely<unknown>({ dialect: engine.dialect });
  try {
    await statement.execute(db);
  } finally {
    await db.destroy();
    await engine.close();
  }
}

/** Fixtures are copies of one database, since its migrations take longer than most cases. */
let sqliteTemplate: string;
beforeAll(async () => {
  sqliteTemplate = await mkdtemp(join(tmpdir(), "drs-metadata-template-"));
  await (await openMetadata({ url: undefined, dataDir: sqliteTemplate })).close();
});
afterAll(() => rm(sqliteTemplate, { recursive: true }));

async function openSqliteFixture(): Promise<MetadataFixture> {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-metadata-"));
  await cp(sqliteTemplate, dataDir, { recursive: true });
  const connections: Metadata[] = [];
  return {
    async connect() {
      const metadata = await openMetadata({ url: undefined, dataDir, clock: () => storeClock.now });
      connections.push(metadata);
      return metadata;
    },
    run: (statement) => runStatement(openSqlite(join(dataDir, "metadata.sqlite"), Date.now), statement),
    async dispose() {
      for (const metadata of connections) await metadata.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

metadataContract("SQLite", openSqliteFixture);

describe.skipIf(withoutPostgres !== "")(`PostgreSQL${withoutPostgres}`, () => {
  let server: PostgresServer;
  let template: string;
  beforeAll(async () => {
    // Deadlocks, which some of the races provoke, are noticed after a second otherwise.
    server = await startPostgres(["deadlock_timeout=20ms"]);
    const url = await server.createDatabase();
    await (await openMetadata({ url, dataDir: "" })).close();
    template = new URL(url).pathname.slice(1);
  });
  afterAll(() => server.close());

  metadataContract("PostgreSQL", () => openPostgresFixture(server, template));
});

async function openPostgresFixture(server: PostgresServer, template: string): Promise<MetadataFixture> {
  const url = await server.createDatabase(template);
  const connections: Metadata[] = [];
  return {
    async connect() {
      const metadata = await openMetadata({ url, dataDir: "", clock: () => storeClock.now });
      connections.push(metadata);
      return metadata;
    },
    run: (statement) => runStatement(openPostgres(url, { connections: 1, clock: undefined }), statement),
    async dispose() {
      for (const metadata of connections) await metadata.close();
    },
  };
}

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

  it("gives the disk of removed rows back, beside other work", async () => {
    const dataDir = await makeFolder();
    const size = async () => {
      const files = ["metadata.sqlite", "metadata.sqlite-wal"].map((name) => stat(join(dataDir, name)));
      return (await Promise.all(files)).reduce((sum, file) => sum + file.size, 0);
    };
    const store = await openMetadata({ url: undefined, dataDir });
    const other = await openMetadata({ url: undefined, dataDir });
    const empty = await size();
    const { workspaceId } = await createTenant(store);
    const { dataset } = await createDataset(store, workspaceId);
    const { lease } = await claimNext(store, "w", morning);
    const words = (): string => randomBytes(1_500).toString("hex");
    const pages = Array.from({ length: 4_000 }, (_, index) => ({ ...makePage(index + 1), words: words() }));
    await store.pages.save(lease, dataset.id, pages, morning);
    expect(await size()).toBeGreaterThan(6_000_000);

    await other.datasets.delete(workspaceId, dataset.id, morning, makeEvent());
    await removeRows(store);
    const reclaiming = store.reclaim(new AbortController().signal);
    const made = await Promise.all([store, other].map((each) => createDataset(each, workspaceId)));
    await reclaiming;
    for (const { dataset: kept } of made) expect(await store.datasets.get(workspaceId, kept.id, morning)).toEqual(kept);
    await store.reclaim(new AbortController().signal);
    expect(await size()).toBeLessThan(empty + 100_000);
    await store.close();
    await other.close();
  });

  it("keeps its rows over closing and opening", async () => {
    const dataDir = await makeFolder();
    const first = await openMetadata({ url: undefined, dataDir });
    const { workspaceId } = await createTenant(first);
    const { dataset } = await createDataset(first, workspaceId);
    await first.close();
    const second = await openMetadata({ url: undefined, dataDir });
    expect(await second.datasets.get(workspaceId, dataset.id, morning)).toEqual(dataset);
    await second.close();
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
    const opening = openMetadata({ url: "mysql://user:secret@db/drs", dataDir: await makeFolder() });
    await expect(opening).rejects.toThrow(/DRS_DATABASE_URL.*mysql:/);
    await expect(opening).rejects.not.toThrow(/secret/);
  });
});

function forkChild(name: string, args: string[]) {
  const path = new URL(`./testing/${name}${extname(import.meta.url)}`, import.meta.url);
  return fork(fileURLToPath(path), args, { execArgv: [] });
}

async function findDataset(metadata: Metadata, id: string) {
  const datasetId = parseDatasetId(id);
  if (datasetId === undefined) throw new Error("not a dataset id");
  expect(await metadata.datasets.getUnscoped(datasetId, morning)).toBeDefined();
  return datasetId;
}
