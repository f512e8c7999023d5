import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startCommand } from "../service/command.ts";
import { startServerProcess } from "../service/process.ts";

let folder: string;
let dataDir: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-newer-"));
  dataDir = join(folder, "data");
  const server = await startServerProcess(dataDir);
  await server.terminate();
  const database = new DatabaseSync(join(dataDir, "metadata.sqlite"));
  database.exec("insert into kysely_migration (name, timestamp) values ('9999-of-the-future', '2099-01-01')");
  database.close();
});
afterEach(() => rm(folder, { recursive: true }));

/** The digest of each file, by its path. */
async function contents(): Promise<Record<string, string>> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const digest = async (file: string): Promise<[string, string]> => [
    file,
    createHash("sha256")
      .update(await readFile(file))
      .digest("hex"),
  ];
  return Object.fromEntries(await Promise.all(files.toSorted().map(digest)));
}

test.each([["serve"], ["worker"], ["datasets", "list"]])(
  "drs %s leaves a data folder alone that a newer version has changed",
  { timeout: 180_000 },
  async (...words) => {
    const before = await contents();
    const env = { DRS_DATA_DIR: dataDir, HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
    const { code, stdout, stderr } = await startCommand(words, env).outcome;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^error: the data folder .* was written by a newer version of drs.*--data-dir.*\n/);
    expect(stderr).not.toMatch(/\n\s+at |bug/);
    expect(await contents()).toEqual(before);
  },
);
