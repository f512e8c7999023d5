import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { defaultDataDir } from "@drs/server/settings";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeService, fakeService, goodKey } from "../testing/fake-service.ts";
import { type Captured, runCaptured } from "../testing/run-captured.ts";
import { configPath, readProfiles } from "./profiles.ts";
import { targetOf } from "./target.ts";

let folder: string;
let service: FakeService;
let env: Record<string, string>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-login-"));
  service = await fakeService();
  env = { XDG_CONFIG_HOME: join(folder, "config") };
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const drs = (...words: string[]): Promise<Captured> => runCaptured(words, env);

function login(key: string, ...flags: string[]): Promise<Captured> {
  const words = ["login", "--server", service.url, "--api-key-stdin", ...flags];
  return runCaptured(words, env, new AbortController().signal, Readable.from([key]));
}

describe("drs login", () => {
  test("keeps a key that opens the server, for its owner only", async () => {
    const { code, stdout } = await login(`${goodKey}\n`, "--profile", "lab");
    expect(code).toBe(0);
    expect(stdout).toBe(`logged in to ${service.url} as profile lab\n`);
    expect((await stat(configPath(env))).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, "config", "drs"))).mode & 0o777).toBe(0o700);
    expect(await drs("datasets", "list", "--json")).toMatchObject({ code: 0 });
  });

  test("asks on a terminal without showing what is typed", async () => {
    const keyboard = Object.assign(new PassThrough(), { isTTY: true });
    const asking = runCaptured(["login", "--server", service.url], env, new AbortController().signal, keyboard);
    keyboard.write(`${goodKey}x\u007f\r`);
    const { code, stdout, stderr } = await asking;
    expect({ code, stderr }).toEqual({ code: 0, stderr: `API key for ${service.url}: \n` });
    expect(stdout).not.toContain(goodKey);
    const { current, byName } = await readProfiles(env);
    expect(current).toBe(new URL(service.url).host);
    expect(byName.get(current ?? "")).toEqual({ server: service.url, apiKey: goodKey });
  });

  test("can be interrupted while it asks", async () => {
    const keyboard = Object.assign(new PassThrough(), { isTTY: true });
    const asking = runCaptured(["login", "--server", service.url], env, new AbortController().signal, keyboard);
    keyboard.write("drs_\u0003");
    expect(await asking).toMatchObject({ code: 130 });
  });

  test("keeps nothing that the server refuses", async () => {
    expect(await login("drs_bad")).toMatchObject({ code: 4 });
    expect(await login("")).toMatchObject({ code: 2, stderr: expect.stringContaining("no API key was given") });
    expect(await login("two words")).toMatchObject({ code: 2, stderr: expect.stringContaining("not a valid API key") });
    expect(await login("k".repeat(100_000))).toMatchObject({ code: 2 });
    expect(await login(goodKey, "--profile", "local")).toMatchObject({ code: 2 });
    expect(await login(goodKey, "--profile", "__proto__")).toMatchObject({ code: 2 });
    await expect(stat(configPath(env))).rejects.toThrow("ENOENT");
  });

  test("without a terminal says how else", async () => {
    const { code, stderr } = await drs("login", "--server", service.url);
    expect(code).toBe(2);
    expect(stderr).toContain("--api-key-stdin");
  });
});

describe("profiles", () => {
  beforeEach(async () => {
    await login(goodKey, "--profile", "lab");
    await login(goodKey, "--profile", "other");
  });

  test("are listed without their keys, chosen and removed", async () => {
    const { stdout } = await drs("profiles", "list");
    expect(stdout).toMatch(/^\* +other +http/m);
    expect(stdout).not.toContain(goodKey);
    await drs("profiles", "use", "lab");
    expect(JSON.parse((await drs("profiles", "list", "--json")).stdout)).toEqual({
      total: 3,
      data: [
        { profile: "local", server: null, current: false },
        { profile: "lab", server: service.url, current: true },
        { profile: "other", server: service.url, current: false },
      ],
    });
    expect((await drs("logout")).stdout).toBe(`logged out from ${service.url}\n`);
    expect((await drs("profiles", "remove", "other")).code).toBe(0);
    expect((await readProfiles(env)).byName.size).toBe(0);
    const absent = await drs("profiles", "use", "lab");
    expect(absent).toMatchObject({ code: 2, stderr: expect.stringContaining("there are: local") });
  });

  test("give their key to no other server", async () => {
    const elsewhere = await drs("datasets", "list", "--profile", "lab", "--server", "http://127.0.0.1:1");
    expect(elsewhere).toMatchObject({ code: 4, stderr: expect.stringContaining("no API key for http://127.0.0.1:1") });
    expect(await drs("datasets", "list", "--server", service.url)).toMatchObject({ code: 0 });
  });

  test("come behind flags and environment, and before the data folder", async () => {
    const { stdout, stderr } = process;
    const target = (flags: object, more: object = {}): Promise<unknown> =>
      targetOf(flags, { stdout, stderr, env: { ...env, ...more }, signal: new AbortController().signal });
    const lab = { kind: "server", address: service.url, profile: "lab" };
    expect(await target({})).toEqual({ ...lab, profile: "other" });
    expect(await target({ profile: "lab" }, { DRS_SERVER: "http://env" })).toEqual(lab);
    expect(await target({}, { DRS_PROFILE: "lab" })).toEqual(lab);
    expect(await target({ server: "http://flag" }, { DRS_PROFILE: "lab" })).toMatchObject({ address: "http://flag" });
    expect(await target({}, { DRS_SERVER: "http://env", DRS_PROFILE: "lab" })).toMatchObject({ address: "http://env" });
    expect(await target({}, { DRS_DATA_DIR: "/srv" })).toEqual({ kind: "folder", dataDir: "/srv" });
    expect(await target({ profile: "local" })).toEqual({ kind: "folder", dataDir: defaultDataDir() });
    await drs("profiles", "use", "local");
    expect(await target({})).toEqual({ kind: "folder", dataDir: defaultDataDir() });
  });

  test("that others may read are refused, and a damaged file is not overwritten", async () => {
    await chmod(configPath(env), 0o640);
    expect(await drs("datasets", "list")).toMatchObject({ code: 1, stderr: expect.stringContaining("chmod 600") });
    await chmod(configPath(env), 0o600);
    await writeFile(configPath(env), "{");
    expect(await login(goodKey)).toMatchObject({ code: 1, stderr: expect.stringContaining("is damaged") });
    expect(await readFile(configPath(env), "utf8")).toBe("{");
  });
});
