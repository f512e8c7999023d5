import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lockDataDir } from "@drs/server/folder";
import { configPath } from "../connection/profiles.ts";
import { fakeService, goodKey } from "../testing/fake-service.ts";
import { runCaptured } from "../testing/run-captured.ts";
import { checkDataDir, checkInstructions, checkNode } from "./machine.ts";
import { checkModules } from "./modules.ts";
import { checkFolderServer, checkProfiles, checkServer } from "./service.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-doctor-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("a processor without AVX2 is named, with what to do", () => {
  expect(checkInstructions([])).toBeUndefined();
  expect(checkInstructions(["avx2"])).toMatchObject({
    status: "fail",
    message: expect.stringContaining("AVX2"),
    next: expect.stringContaining("-cpu host"),
  });
});

test("an old Node fails", () => {
  expect(checkNode("24.21.0").status).toBe("ok");
  expect(checkNode("20.20.2")).toMatchObject({ status: "fail", next: expect.stringContaining("npm install") });
});

test("a data folder that is not there yet is judged by where it will be", async () => {
  const check = await checkDataDir(join(folder, "a", "b"));
  expect(check.status).not.toBe("fail");
  expect(check.message).toContain("made by the first start");
});

test("a file in place of the data folder fails", async () => {
  const path = join(folder, "file");
  await writeFile(path, "");
  expect(await checkDataDir(path)).toMatchObject({ status: "fail", message: `${path} is not a folder` });
});

test.skipIf(process.getuid?.() === 0)(
  "a data folder that cannot be written fails (root can write everything)",
  async () => {
    const path = join(folder, "locked");
    await mkdir(path);
    await chmod(path, 0o500);
    expect(await checkDataDir(path)).toMatchObject({ status: "fail", message: `${path} cannot be written` });
  },
);

test("the modules that are installed load", async () => {
  expect((await checkModules()).filter(({ status }) => status !== "ok")).toEqual([]);
});

test("a server that is not running is a remark", async () => {
  const service = await fakeService();
  await service.close();
  expect(await checkServer(service.url)).toMatchObject({
    isRunning: false,
    check: { status: "warn", next: expect.stringContaining("drs serve") },
  });
});

test("a data folder is free, or has an owner that answers or does not", async () => {
  const dataDir = join(folder, "owned");
  const { stdout, stderr } = process;
  const io = { stdout, stderr, env: {}, signal: new AbortController().signal };
  expect(await checkFolderServer(dataDir, io)).toMatchObject({ isRunning: false, check: { status: "ok" } });
  const lock = lockDataDir(dataDir, "command");
  const held = `a drs command (process ${process.pid}) has the data folder`;
  expect((await checkFolderServer(dataDir, io)).check).toMatchObject({
    status: "warn",
    message: `${held} and is starting or stopping`,
  });
  const service = await fakeService();
  lock.publish(service.url);
  expect((await checkFolderServer(dataDir, io)).check).toMatchObject({
    status: "warn",
    message: `${held}, but nothing at ${service.url} proves to be its server`,
  });
  await service.close();
  lock.release();
});

test("profiles that others may read are a remark", async () => {
  const env = { XDG_CONFIG_HOME: folder };
  expect(await checkProfiles(env)).toMatchObject({ status: "ok", message: "none; drs login makes one" });
  await mkdir(join(folder, "drs"));
  await writeFile(configPath(env), '{"profiles":{"lab":{"server":"http://lab","apiKey":"k"}}}', { mode: 0o644 });
  expect(await checkProfiles(env)).toMatchObject({ status: "warn", next: expect.stringContaining("chmod 600") });
  await chmod(configPath(env), 0o600);
  expect((await checkProfiles(env)).message).toBe("lab; in use: the data folder of this machine");
});

test("--json is one document", async () => {
  const service = await fakeService();
  const { code, stdout } = await runCaptured(["doctor", "--json"], {
    DRS_SERVER: service.url,
    DRS_API_KEY: goodKey,
    DRS_DATA_DIR: folder,
    DRS_MODEL: join(folder, "no-pack"),
  });
  await service.close();
  expect(code).toBe(1);
  const report: unknown = JSON.parse(stdout);
  expect(report).toMatchObject({ ok: false });
  expect(report).toHaveProperty(
    "checks",
    expect.arrayContaining([
      expect.objectContaining({ name: "model pack", status: "fail" }),
      expect.objectContaining({ name: "node", status: "ok" }),
    ]),
  );
});
