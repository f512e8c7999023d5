import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startCommand } from "../service/command.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-migrate-"));
});
afterEach(() => rm(dataDir, { recursive: true }));

async function migrate(...flags: readonly string[]): Promise<{ code: number | null; answer: unknown; stderr: string }> {
  const { code, stdout, stderr } = await startCommand(["migrate", "--json", "--data-dir", dataDir, ...flags], {})
    .outcome;
  return { code, answer: stdout === "" ? undefined : JSON.parse(stdout), stderr };
}

test("drs migrate makes the tables, and says what is to be done", { timeout: 60_000 }, async () => {
  const none = { isUpToDate: false, isNew: true, migrations: [] };
  expect(await migrate("--check")).toEqual({ code: 1, answer: none, stderr: "" });
  expect(await readdir(dataDir)).toEqual([]);
  expect(await migrate()).toMatchObject({ code: 0, answer: { isUpToDate: true, isNew: true } });
  const whole = { isUpToDate: true, isNew: false, migrations: [] };
  expect(await migrate("--check")).toEqual({ code: 0, answer: whole, stderr: "" });
  expect(await migrate()).toEqual({ code: 0, answer: whole, stderr: "" });
});

test(
  "a database of a newer version is refused, and one that lacks a migration is told",
  { timeout: 60_000 },
  async () => {
    await migrate();
    const database = new DatabaseSync(join(dataDir, "metadata.sqlite"));
    const { name } = database.prepare(`select max("name") as "name" from "kysely_migration"`).get() ?? {};
    database.prepare(`delete from "kysely_migration" where "name" = ?`).run(String(name));
    expect(await migrate("--check")).toMatchObject({ code: 1, answer: { isUpToDate: false, migrations: [name] } });
    database.exec(`insert into "kysely_migration" ("name", "timestamp") values ('9999-of-the-future', '2099-01-01')`);
    database.close();
    for (const flags of [["--check"], []])
      expect(await migrate(...flags)).toMatchObject({ code: 1, stderr: expect.stringMatching(/newer version of drs/) });
  },
);
