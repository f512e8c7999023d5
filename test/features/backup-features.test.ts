import { createDrs, type Drs } from "@drs/client";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readSettings } from "../../server/settings/settings.ts";
import { backUpFolder } from "../../server/offline-commands.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startCommand } from "../service/command.ts";
import { startServerProcess } from "../service/process.ts";
import { countEmbedded } from "../service/samples.ts";
import { startServer, type TestServer } from "../service/start.ts";

const words = ["walrus", "pelican", "otter", "lynx"];
const documentOf = (some: readonly string[]) =>
  makePdf({
    pages: [...some.map((word) => ({ text: `A page about the ${word}, and nothing else.` })), { text: "" }],
  });

describe("features in backups", { timeout: 180_000 }, () => {
  let folder: string;
  let server: TestServer;
  let drs: Drs;
  let datasetId: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-backup-features-"));
    server = await startServer({ workers: "1" });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    datasetId = await upload(words);
  }, 120_000);
  afterAll(async () => {
    await server.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function upload(some: readonly string[]): Promise<string> {
    const upload = await drs.datasets.upload(documentOf(some), { fileName: `${some[0]}.pdf`, vectorize: true });
    expect(await drs.jobs.wait(upload.id)).toMatchObject({ status: "SUCCESS", failures: [] });
    return upload.datasetId;
  }

  const run = (...flags: readonly string[]) => startCommand(flags, {}).outcome;
  const backUp = (dir: string) => run("backup", dir, "--json", "--data-dir", server.dataDir);

  async function partsOf(id: string): Promise<string[]> {
    const root = join(server.dataDir, "blobs", "features", id);
    const paths = await readdir(root, { recursive: true });
    return paths.filter((path) => path.endsWith(".arrow")).map((path) => join(root, path));
  }

  const answersOf = (client: Drs) =>
    Promise.all(
      words.map(async (word) =>
        (await client.search(word)).map(({ datasetId, col, score }) => ({ datasetId, col, score })),
      ),
    );

  const embeddedBy = ({ url }: TestServer) => countEmbedded(url);

  /** Restores the newest snapshot, and calls back when its server has made the index. How many pages that has embedded. */
  async function restored(dir: string, look: (client: Drs) => Promise<void>): Promise<number> {
    const dataDir = await mkdtemp(join(folder, "restored-"));
    expect(await run("restore", dir, "--data-dir", dataDir)).toMatchObject({ code: 0 });
    expect(await readdir(dataDir)).not.toContain("vectors");
    expect(await run("verify", "--deep", "--json", "--data-dir", dataDir)).toEqual({ code: 0, stdout: "", stderr: "" });
    const other = await startServer({ workers: "1", dataDir });
    try {
      const client = createDrs({ server: other.url, apiKey: server.credentials.apiKey });
      await expect
        .poll(async () => (await client.search("walrus")).incompleteDatasetIds, { timeout: 60_000 })
        .toEqual([]);
      await look(client);
      expect(await run("verify", "--deep", "--json", "--data-dir", dataDir)).toEqual({
        code: 0,
        stdout: "",
        stderr: "",
      });
      // By now its workers have told of all that they did.
      return await embeddedBy(other);
    } finally {
      await other.close();
    }
  }

  test("a restored server makes its index of them: every answer is as before, and no page is embedded", async () => {
    const before = await answersOf(drs);
    const dir = join(folder, "whole");
    const { code, stdout } = await backUp(dir);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { problems: [], incompleteDatasets: 0 }]);
    const pages = await restored(dir, async (client) => expect(await answersOf(client)).toEqual(before));
    expect(pages).toBe(0);
  });

  test("where they are lost or damaged the backup says so, and the pages are embedded again", async () => {
    const before = await answersOf(drs);
    const [path = ""] = await partsOf(datasetId);
    const bytes = await readFile(path);
    const dir = join(folder, "damaged");
    try {
      for (const [change, problem] of [
        [() => writeFile(path, bytes.toReversed()), "have other bytes than those that were stored"],
        [() => rm(path), "are missing"],
      ] as const) {
        await change();
        const { code, stdout } = await backUp(dir);
        expect(code).toBe(3);
        expect(JSON.parse(stdout)).toMatchObject({
          incompleteDatasets: 1,
          problems: [expect.stringMatching(new RegExp(`features of dataset ${datasetId} .* ${problem}`))],
        });
        const pages = await restored(dir, async (client) => expect(await answersOf(client)).toEqual(before));
        expect(pages).toBe(words.length + 1);
      }
    } finally {
      await writeFile(path, bytes);
    }
  });

  /** By another process, since whoever is told of a stage answers at once. */
  function deleteNow(id: string, part: string, url: string): void {
    const env = { ...process.env, DRS_DATA_DIR: server.dataDir, XDG_CONFIG_HOME: folder, DRS_SERVER: url };
    const deleting = ["cli/bin/drs.js", "datasets", "delete", id, "--yes"];
    expect(spawnSync(process.execPath, deleting, { env, encoding: "utf8" })).toMatchObject({ status: 0 });
    const isGone = `const { existsSync } = require("node:fs");
      const timer = setInterval(() => existsSync(${JSON.stringify(part)}) || clearInterval(timer), 50);`;
    spawnSync(process.execPath, ["-e", isGone], { timeout: 30_000 });
    expect(existsSync(part)).toBe(false);
  }

  test("a dataset that is deleted while a backup is made is not in it", async () => {
    const gone = await upload(["heron"]);
    const dir = join(folder, "beside");
    const { dataDir } = server;
    await server.close();
    const beside = await startServerProcess(dataDir);
    const [part = ""] = await partsOf(gone);
    const { incompleteDatasets, snapshot } = await backUpFolder(readSettings({ flags: { dataDir }, env: {} }), {
      dir,
      signal: AbortSignal.timeout(60_000),
      onProgress: () => undefined,
      onStage: (stage) => (stage === "features" ? deleteNow(gone, part, beside.url) : undefined),
    });
    await beside.terminate();
    expect([incompleteDatasets, snapshot.problems, snapshot.datasets]).toEqual([0, [], 1]);
    const pages = await restored(dir, async (client) => expect((await client.datasets.page({})).total).toBe(1));
    expect(pages).toBe(0);
  });
});
