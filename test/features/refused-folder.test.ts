import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startCommand } from "../service/command.ts";
import { startServerProcess } from "../service/process.ts";

let folder: string;
let made: string;
let dataDir: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-refused-"));
  made = join(folder, "made");
  await (await startServerProcess(made)).terminate();
}, 120_000);
beforeEach(async () => {
  dataDir = join(folder, "data");
  await cp(made, dataDir, { recursive: true });
});
afterEach(() => rm(dataDir, { recursive: true }));
afterAll(() => rm(folder, { recursive: true }));

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

const others = [
  {
    made: "that a newer version has changed",
    migrations: `insert into kysely_migration (name, timestamp) values ('9999-of-the-future', '2099-01-01')`,
    sentence: /^error: the data folder .* was written by a newer version of drs.*--data-dir.*\n/,
  },
  {
    made: "of a version from before the first release",
    migrations: `delete from kysely_migration;
      insert into kysely_migration (name, timestamp) values ('0001-first', '2026-01-01'), ('0036-index-tables', '2026-01-01');
      update readers set oldest = '0001-first', newest = '0036-index-tables'`,
    sentence:
      /^error: the data folder .* was made by a version of drs from before the first release.* export its workspaces with that version .*--data-dir.*\n/,
  },
];

const commands = ["serve", "worker", "migrate", "datasets list"];

test.each(others.flatMap((other) => commands.map((command) => ({ ...other, command }))))(
  "drs $command leaves a data folder alone $made",
  { timeout: 180_000 },
  async ({ command, migrations, sentence }) => {
    const database = new DatabaseSync(join(dataDir, "metadata.sqlite"));
    database.exec(migrations);
    database.close();
    const before = await contents();
    const env = { DRS_DATA_DIR: dataDir, HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
    const { code, stdout, stderr } = await startCommand(command.split(" "), env).outcome;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/\n\s+at |bug/);
    expect(await contents()).toEqual(before);
  },
);
