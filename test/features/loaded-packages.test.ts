import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDrs } from "@drs/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { type CommandProcess, startCommand } from "../service/command.ts";

/** Packages of some hundred modules that servers without need for them must not load at start. */
const unneeded = [
  // For stores that others share.
  "pg",
  "@aws-sdk/client-s3",
  // For people who sign in with a provider.
  "openid-client",
  // For models that ask.
  "@modelcontextprotocol/server",
  // For vectors: a hundred megabytes as well.
  "@lancedb/lancedb",
  "apache-arrow",
  "onnxruntime-node",
  // For pages to be converted, in processes of their own.
  "@matbee/libreoffice-converter",
  // For the command line.
  "ink",
  "react",
  // For the console where it is not built.
  "rolldown",
];

const noteModules = fileURLToPath(new URL("../service/note-modules.ts", import.meta.url));
let dataDir: string;
let server: CommandProcess | undefined;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-loaded-"));
});
afterEach(async () => {
  server?.kill("SIGKILL");
  await server?.outcome;
  await rm(dataDir, { recursive: true, force: true });
});

test("a server of documents without vectors loads no package for other needs", { timeout: 120_000 }, async () => {
  const list = join(dataDir, "modules");
  // In the folder itself, even if other tests of this run use shared stores.
  const started = startCommand(["serve", "--data-dir", dataDir, "--port", "0", "--workers", "1"], {
    HOME: dataDir,
    DRS_TEST_MODULES: list,
    NODE_OPTIONS: `--import=${noteModules}`,
  });
  server = started;
  const address = (): string => /drs listening on (\S+)/.exec(started.stdout())?.[1] ?? "";
  await expect.poll(address, { timeout: 60_000 }).not.toBe("");
  const { apiKey } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as { apiKey: string };
  const drs = createDrs({ server: address(), apiKey });
  const { id } = await drs.datasets.upload(makePdf({ pages: [{ text: "Herons stay." }] }), { fileName: "herons.pdf" });
  expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
  started.kill("SIGTERM");
  await started.outcome;

  const loaded = (await readFile(list, "utf8")).trim().split("\n");
  const processes = new Set(loaded.map((line) => line.split(" ", 1)[0]));
  expect(processes.size).toBeGreaterThanOrEqual(2);
  const packages = new Set(loaded.flatMap((line) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(line)?.[1] ?? []));
  expect(packages).toContain("kysely");
  expect(unneeded.filter((name) => packages.has(name))).toEqual([]);
});
