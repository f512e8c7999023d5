import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSettings } from "../../server/settings/settings.ts";
import { backUpFolder } from "../../server/offline-commands.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startCommand } from "../service/command.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";

let folder: string;
let dataDir: string;
let server: ServerProcess;
let drs: Drs;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-backup-versions-"));
  dataDir = join(folder, "data");
  server = await startServerProcess(dataDir);
  drs = await clientOf(dataDir, server.url);
});
afterAll(async () => {
  await server?.terminate();
  await rm(folder, { recursive: true, force: true });
});

async function clientOf(data: string, url: string): Promise<Drs> {
  const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(data, "credentials.json"), "utf8"));
  return createDrs({ server: url, apiKey });
}

const documentOf = (text: string): Uint8Array => makePdf({ pages: [{ text }] });

/** Another process, since whoever is told of a stage answers at once. */
function waitUntilGone(path: string): void {
  for (let left = 600; existsSync(path) && left > 0; left -= 1) spawnSync("sleep", ["0.1"]);
  expect(existsSync(path)).toBe(false);
}

test("a document that gets a new version while a backup is made is in the backup", async () => {
  const { id: jobId, datasetId } = await drs.datasets.upload(documentOf("the first version"), {
    fileName: "first.pdf",
  });
  await drs.jobs.wait(jobId);
  const original = join(dataDir, "blobs", "originals", datasetId);
  expect(existsSync(original)).toBe(true);
  const next = join(folder, "second.pdf");
  await writeFile(next, documentOf("the second version"));

  const stages: string[] = [];
  await backUpFolder(readSettings({ flags: { dataDir }, env: {} }), {
    dir: join(folder, "backups"),
    signal: AbortSignal.timeout(120_000),
    onProgress: () => undefined,
    onStage(stage) {
      stages.push(stage);
      if (stage !== "documents" || stages.filter((before) => before === stage).length > 1) return;
      const words = ["cli/bin/drs.js", "datasets", "replace", datasetId, next];
      const env = { ...process.env, DRS_DATA_DIR: dataDir, XDG_CONFIG_HOME: folder };
      expect(spawnSync(process.execPath, words, { env, encoding: "utf8" })).toMatchObject({ status: 0 });
      waitUntilGone(original);
    },
  });
  expect(stages.filter((stage) => stage === "rows")).toHaveLength(2);

  const restored = join(folder, "restored");
  const { code } = await startCommand(["restore", join(folder, "backups"), "--data-dir", restored], {}).outcome;
  expect(code).toBe(0);
  const other = await startServerProcess(restored);
  try {
    const dataset = await (await clientOf(restored, other.url)).datasets.get(datasetId);
    expect(dataset).toMatchObject({ id: datasetId, fileName: "second.pdf", itemCount: 1 });
  } finally {
    await other.terminate();
  }
});
