import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkPrivacy } from "../../cli/doctor/machine.ts";
import { readOwner, lockDataDir } from "../../server/storage/lock.ts";
import { closeToOthers } from "../../server/storage/private-folder.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { type CommandProcess, startCommand } from "../service/command.ts";

const modeOf = (path: string): number => statSync(path).mode & 0o7777;
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const canBeNobody = isRoot && spawnSync("setpriv", ["--version"]).status === 0;

let folder: string;
let dataDir: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-private-"));
  // What others may enter: only the data folder itself keeps them out.
  chmodSync(folder, 0o755);
  dataDir = join(folder, "data");
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

/** Everything under the folder that others may do something with, links left aside. */
function openTo(others: number): string[] {
  const inside = readdirSync(dataDir, { recursive: true, encoding: "utf8" });
  return ["", ...inside].filter((path) => (lstatSync(join(dataDir, path)).mode & others) !== 0);
}

describe("a data folder in use", () => {
  const env = (): Record<string, string> => ({ DRS_DATA_DIR: dataDir, HOME: folder, XDG_CONFIG_HOME: folder });
  let server: CommandProcess | undefined;
  afterEach(async () => {
    server?.kill("SIGKILL");
    await server?.outcome;
    server = undefined;
  });

  async function serve(): Promise<void> {
    server = startCommand(["serve", "--port", "0", "--log", "info"], env());
    await expect
      .poll(() => readOwner(dataDir), { timeout: 30_000 })
      .toMatchObject({ pid: server.pid, address: { url: expect.any(String) } });
  }

  async function vectorize(): Promise<void> {
    writeFileSync(join(folder, "a.pdf"), makePdf({ pages: [{ text: "lanterns" }, { text: "harbours" }] }));
    const upload = await startCommand(["upload", join(folder, "a.pdf"), "--vectorize"], env()).outcome;
    expect(upload).toMatchObject({ code: 0 });
  }

  test("has nothing in it that others may read, whichever process made it", async () => {
    await serve();
    await vectorize();
    const vectors = readdirSync(join(dataDir, "vectors"), { recursive: true });
    expect(vectors.length).toBeGreaterThan(3);
    expect(existsSync(join(dataDir, "metadata.sqlite-wal"))).toBe(true);
    expect(openTo(0o077)).toEqual([]);
  });

  test("nor where a command serves itself", async () => {
    await vectorize();
    expect(openTo(0o077)).toEqual([]);
  });

  test("that others could read is closed at the start, which the log says once", async () => {
    await serve();
    server?.kill("SIGTERM");
    await server?.outcome;
    for (const [name, mode] of Object.entries({ "": 0o755, "metadata.sqlite": 0o644, blobs: 0o755, vectors: 0o755 }))
      chmodSync(join(dataDir, name), mode);
    await serve();
    const said = /others may not get at this any more: [^"]*data \(mode 755\), [^"]*metadata\.sqlite \(mode 644\)/;
    await expect.poll(() => server?.stderr(), { timeout: 30_000 }).toMatch(said);
    expect([dataDir, join(dataDir, "blobs"), join(dataDir, "vectors")].map(modeOf)).toEqual([0o700, 0o700, 0o700]);
    expect(modeOf(join(dataDir, "metadata.sqlite"))).toBe(0o600);
    server?.kill("SIGTERM");
    await server?.outcome;
    await serve();
    expect(server?.stderr()).not.toContain("others may not get at this");
  });

  test.skipIf(!canBeNobody)("keeps another user out (skipped where it cannot be tried: root and setpriv)", async () => {
    const asNobody = (...command: string[]) =>
      spawnSync("setpriv", [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", ...command], {
        encoding: "utf8",
      });
    mkdirSync(dataDir, { mode: 0o755 });
    chmodSync(dataDir, 0o755);
    writeFileSync(join(dataDir, "metadata.sqlite"), "");
    chmodSync(join(dataDir, "metadata.sqlite"), 0o644);
    expect(asNobody("cat", join(dataDir, "metadata.sqlite")).status).toBe(0);
    await serve();
    for (const command of [
      ["ls", dataDir],
      ["cat", join(dataDir, "metadata.sqlite")],
      ["ls", join(dataDir, "vectors")],
    ])
      expect(asNobody(...command)).toMatchObject({ stdout: "", stderr: expect.stringContaining("Permission denied") });
  });
});

describe("a folder whose modes are not for drs to change", () => {
  const warnings = (): string[] => closeToOthers(dataDir).map(({ level, message }) => `${level} ${message}`);

  test("is one that holds other things: it is said, and stays", () => {
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o755);
    writeFileSync(join(dataDir, "diary.txt"), "");
    expect(warnings()).toEqual([
      expect.stringMatching(/^warn .*data \(mode 755\): it holds more than the data of drs/),
    ]);
    expect(modeOf(dataDir)).toBe(0o755);
    expect(checkPrivacy(dataDir)).toMatchObject({
      status: "warn",
      message: expect.stringContaining("holds more than"),
    });
  });

  test("is one that users share", () => {
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o1777);
    expect(warnings()).toEqual([expect.stringMatching(/^warn .*\(mode 1777\): it is a place that users share/)]);
    expect(modeOf(dataDir)).toBe(0o1777);
  });

  test.skipIf(!isRoot)("is another user's (skipped without root)", () => {
    mkdirSync(dataDir, { mode: 0o700 });
    chownSync(dataDir, nobody, nobody);
    expect(warnings()).toEqual([expect.stringMatching(/^warn .*\(mode 700\): it belongs to another user \(65534\)/)]);
    expect(checkPrivacy(dataDir)).toMatchObject({ status: "warn", message: expect.stringContaining("another user") });
  });

  test("what a link leads to is not touched", () => {
    mkdirSync(dataDir, { mode: 0o700 });
    writeFileSync(join(folder, "outside"), "");
    chmodSync(join(folder, "outside"), 0o644);
    execFileSync("ln", ["-s", join(folder, "outside"), join(dataDir, "drs.log")]);
    expect(warnings()).toEqual([]);
    expect(modeOf(join(folder, "outside"))).toBe(0o644);
  });
});

test("doctor tells of a data folder that others may read, and of none that they may not", () => {
  expect(checkPrivacy(dataDir)).toBeUndefined();
  const lock = lockDataDir(dataDir);
  expect(checkPrivacy(dataDir)).toBeUndefined();
  chmodSync(dataDir, 0o755);
  expect(checkPrivacy(dataDir)).toMatchObject({
    status: "warn",
    message: `others on this machine can access ${dataDir} (mode 755)`,
    next: expect.stringContaining("chmod -R go-rwx"),
  });
  lock.release();
});

test("a folder that is taken twice in one process keeps its lock", () => {
  const lock = lockDataDir(dataDir);
  expect(() => lockDataDir(dataDir)).toThrow("a drs server");
  const other = spawnSync(
    process.execPath,
    [
      "-e",
      `const { DatabaseSync } = require("node:sqlite");
      new DatabaseSync(${JSON.stringify(join(dataDir, "server.lock"))}).exec("begin exclusive")`,
    ],
    { encoding: "utf8" },
  );
  expect(other.stderr).toContain("database is locked");
  lock.release();
});
