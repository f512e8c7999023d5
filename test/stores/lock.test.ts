import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DomainError } from "../../server/domain/errors.ts";
import { readOwner, isLocked, lockDataDir, tryLockDataDir } from "../../server/storage/lock.ts";

describe("the lock of a data folder", () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "drs-lock-"));
  });
  afterEach(async () => rm(dataDir, { recursive: true }));

  it("keeps a second holder off until it is released, and can be released twice", () => {
    const first = lockDataDir(dataDir);
    expect(() => lockDataDir(dataDir)).toThrow(DomainError);
    first.release();
    first.release();
    const second = lockDataDir(dataDir);
    first.release();
    expect(() => lockDataDir(dataDir)).toThrow(DomainError);
    second.release();
  });

  it("can be looked at without being taken, and leaves no trace where no server has been", async () => {
    expect(isLocked(dataDir)).toBe(false);
    expect(await readdir(dataDir)).toEqual([]);
    const lock = lockDataDir(dataDir);
    expect(isLocked(dataDir)).toBe(true);
    expect(tryLockDataDir(dataDir, "command")).toBeUndefined();
    lock.release();
    expect(isLocked(dataDir)).toBe(false);
  });

  it("says who has the folder, and where it answers as long as it does", async () => {
    const lock = lockDataDir(dataDir, "command");
    const { pid } = process;
    expect(readOwner(dataDir)).toEqual({ pid, kind: "command", address: undefined });
    expect(() => lockDataDir(dataDir)).toThrow(`a drs command (process ${pid}) uses the data folder`);
    lock.publish("http://127.0.0.1:4711");
    const address = { url: "http://127.0.0.1:4711", secret: lock.secret };
    expect(readOwner(dataDir)).toEqual({ pid, kind: "command", address });
    expect((await stat(join(dataDir, "server.json"))).mode & 0o777).toBe(0o600);
    lock.withdraw();
    expect(readOwner(dataDir)).toEqual({ pid, kind: "command", address: undefined });
    lock.release();
    expect(readOwner(dataDir)).toBeUndefined();
  });

  it.each(["", "{", "[]", "null", '{"pid":"1","kind":"server"}', '{"pid":1,"kind":"cat"}'])(
    "%j describes no owner",
    async (text) => {
      await writeFile(join(dataDir, "server.json"), text);
      expect(readOwner(dataDir)).toBeUndefined();
    },
  );

  it("names the process that has it, and goes with that process when it is killed", async () => {
    const child = forkHolder(dataDir);
    await once(child, "message");
    expect(() => lockDataDir(dataDir)).toThrow(new RegExp(`process ${child.pid}\\).*--data-dir`));
    child.kill("SIGKILL");
    await once(child, "exit");
    lockDataDir(dataDir).release();
    expect(await readdir(dataDir)).toEqual(["server.lock"]);
  });

  it.skipIf(!existsSync("/proc/self"))("refuses a place where no folder can be made (skipped without /proc)", () => {
    expect(() => lockDataDir("/proc/drs/data")).toThrow("ENOENT");
  });

  it("makes the folder where there is none, for its owner alone", async () => {
    const folder = join(dataDir, "new", "folder");
    const lock = lockDataDir(folder);
    expect(() => lockDataDir(folder)).toThrow(`process ${process.pid}`);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    lock.release();
  });
});

function forkHolder(dataDir: string) {
  const path = new URL(`./testing/hold-lock${extname(import.meta.url)}`, import.meta.url);
  return fork(fileURLToPath(path), [dataDir], { execArgv: [] });
}
