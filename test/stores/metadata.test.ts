import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { parseDatasetId } from "../../server/domain/ids.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import type { MetadataFixture } from "./fixture.ts";
import { metadataContract } from "./metadata.contract.ts";
import { claimNext, createDataset, createTenant, makePage, morning } from "./records.ts";

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
    await metadata.datasets.delete(workspaceId, dataset.id, morning);
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
