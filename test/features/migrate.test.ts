import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startCommand } from "../service/command.ts";
import { nextMigration, nextVersion } from "../service/next-version/next-version.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-migrate-"));
});
afterEach(() => rm(dataDir, { recursive: true }));

async function migrate(
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; answer: unknown; stderr: string }> {
  const { code, stdout, stderr } = await startCommand(["migrate", "--json", "--data-dir", dataDir, ...flags], env)
    .outcome;
  return { code, answer: stdout === "" ? undefined : JSON.parse(stdout), stderr };
}

const whole = { isUpToDate: true, isNew: false, migrations: [] };

test("drs migrate makes the tables, and says what is to be done", { timeout: 60_000 }, async () => {
  const none = { isUpToDate: false, isNew: true, migrations: [] };
  expect(await migrate(["--check"])).toEqual({ code: 1, answer: none, stderr: "" });
  expect(await readdir(dataDir)).toEqual([]);
  expect(await migrate()).toMatchObject({ code: 0, answer: { isUpToDate: true, isNew: true } });
  expect(await migrate(["--check"])).toEqual({ code: 0, answer: whole, stderr: "" });
  expect(await migrate()).toEqual({ code: 0, answer: whole, stderr: "" });
});

test("drs migrate of the next version runs the migration that a database lacks", { timeout: 60_000 }, async () => {
  await migrate();
  const next = nextVersion(nextMigration);
  const lacking = { isUpToDate: false, isNew: false, migrations: [nextMigration] };
  expect(await migrate(["--check"], next)).toEqual({ code: 1, answer: lacking, stderr: "" });
  expect(await migrate([], next)).toEqual({ code: 0, answer: { ...lacking, isUpToDate: true }, stderr: "" });
  expect(await migrate(["--check"], next)).toEqual({ code: 0, answer: whole, stderr: "" });
  for (const flags of [["--check"], []])
    expect(await migrate(flags)).toMatchObject({ code: 1, stderr: expect.stringMatching(/newer version of drs/) });
});
