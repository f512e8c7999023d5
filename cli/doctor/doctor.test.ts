import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeService, goodKey } from "../testing/fake-service.ts";
import { runCaptured } from "../testing/run-captured.ts";
import { checkDataDir, checkNode } from "./machine.ts";
import { checkModules } from "./modules.ts";
import { checkServer } from "./service.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-doctor-"));
});
afterAll(() => rm(folder, { recursive: true }));

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

test("a server that is not running is a remark that names who holds the folder", async () => {
  const service = await fakeService();
  await service.close();
  expect(await checkServer(service.url, folder)).toMatchObject({ status: "warn", next: "start it with: drs serve" });
  await writeFile(join(folder, "server.pid"), `${process.pid}\n`);
  expect((await checkServer(service.url, folder)).message).toContain(`process ${process.pid} holds the data folder`);
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
