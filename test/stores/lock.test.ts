import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DomainError } from "../../server/domain/errors.ts";
import { lockDataDir } from "../../server/storage/lock.ts";

describe("the lock of a data folder", () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "drs-lock-"));
  });
  afterEach(async () => rm(dataDir, { recursive: true }));

  it("keeps a second holder off until it is released, and can be released twice", () => {
    const release = lockDataDir(dataDir);
    expect(() => lockDataDir(dataDir)).toThrow(DomainError);
    release();
    release();
    const again = lockDataDir(dataDir);
    release();
    expect(() => lockDataDir(dataDir)).toThrow(DomainError);
    again();
  });

  it("names the process that has it, and goes with that process when it is killed", async () => {
    const child = forkHolder(dataDir);
    await once(child, "message");
    expect(() => lockDataDir(dataDir)).toThrow(new RegExp(`process ${child.pid}\\).*--data-dir`));
    child.kill("SIGKILL");
    await once(child, "exit");
    const release = lockDataDir(dataDir);
    release();
    expect(await readdir(dataDir)).toEqual(["server.lock"]);
  });

  it("makes the folder where there is none", () => {
    const release = lockDataDir(join(dataDir, "new", "folder"));
    expect(() => lockDataDir(join(dataDir, "new", "folder"))).toThrow(`process ${process.pid}`);
    release();
  });
});

function forkHolder(dataDir: string) {
  const path = new URL(`./children/hold-lock${extname(import.meta.url)}`, import.meta.url);
  return fork(fileURLToPath(path), [dataDir], { execArgv: [] });
}
