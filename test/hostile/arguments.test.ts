import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDrs } from "@drs/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCaptured } from "../../cli/testing/run-captured.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

/** All users of a machine see the arguments of its processes. */
let server: TestServer;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), "drs-arguments-"));
  // What a desktop has in the place of a browser: it notes what it is given, as another user would see it.
  const opener = join(folder, "xdg-open");
  await writeFile(opener, `#!/bin/sh\nprintf '%s\\n' "$@" > ${join(folder, "seen")}\n`);
  await chmod(opener, 0o755);
  const runtime = join(folder, "runtime");
  await mkdir(runtime, { mode: 0o700 });
  env = {
    PATH: `${folder}:/usr/bin:/bin`,
    DISPLAY: ":0",
    XDG_RUNTIME_DIR: runtime,
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_CACHE_HOME: join(folder, "cache"),
    DRS_DATA_DIR: server.dataDir,
  };
});
afterAll(async () => {
  await server.remove();
  await rm(folder, { recursive: true });
});

async function isClosed(path: string): Promise<boolean> {
  return ((await stat(path)).mode & 0o077) === 0;
}

test.skipIf(process.platform === "win32")(
  "drs open gives the browser no code but in a file of its user's own",
  async () => {
    const { code, stdout } = await runCaptured(["open", "--json"], env);
    expect(code).toBe(0);
    const { uri, opened } = JSON.parse(stdout) as { uri: string; opened: boolean };
    expect(opened).toBe(true);
    const seen = (await readFile(join(folder, "seen"), "utf8")).trim();
    expect(seen).not.toContain("drsc_");
    const path = fileURLToPath(seen);
    expect(await readFile(path, "utf8")).toContain(uri);
    expect([await isClosed(path), await isClosed(dirname(path))]).toEqual([true, true]);
  },
);

test.skipIf(process.platform === "win32")("a link that --open follows is no argument either", async () => {
  const drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  const job = await drs.datasets.upload(makePdf({ pages: [{ text: "lanterns" }] }), { fileName: "lanterns.pdf" });
  for await (const { status } of drs.jobs.watch(job.id)) expect(status).not.toBe("ERROR");
  const { code } = await runCaptured(["pages", "get", job.datasetId, "1", "--open"], env);
  expect(code).toBe(0);
  const seen = (await readFile(join(folder, "seen"), "utf8")).trim();
  expect(seen).toMatch(/^file:/);
  expect(seen).not.toMatch(/token|eyJ/);
});
