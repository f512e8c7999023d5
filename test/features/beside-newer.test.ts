import { createDrs } from "@drs/client";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startCommand } from "../service/command.ts";
import { startServerProcess } from "../service/process.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-beside-"));
  const server = await startServerProcess(dataDir);
  await server.terminate();
});
afterEach(() => rm(dataDir, { recursive: true }));

/** Does what a newer version does at its start: it adds to the tables, and records which versions remain compatible. */
function migrateFurther(oldestReader: string): void {
  const database = new DatabaseSync(join(dataDir, "metadata.sqlite"));
  try {
    database.exec(`
      alter table jobs add column "ofTheFuture" text;
      create table "moreOfTheFuture" (id text primary key);
      insert into kysely_migration (name, timestamp) values ('9999-of-the-future', '2099-01-01');
      update readers set oldest = '${oldestReader}', newest = '9999-of-the-future'`);
  } finally {
    database.close();
  }
}

/** As the migrations of this version are called. */
function newest(): string {
  const database = new DatabaseSync(join(dataDir, "metadata.sqlite"), { readOnly: true });
  try {
    return String(database.prepare("select max(name) as name from kysely_migration").get()?.["name"]);
  } finally {
    database.close();
  }
}

test("this version goes on beside tables that a newer one has only added to", { timeout: 120_000 }, async () => {
  migrateFurther(newest());
  const server = await startServerProcess(dataDir);
  try {
    const { apiKey } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as { apiKey: string };
    const drs = createDrs({ server: server.url, apiKey });
    const { id } = await drs.datasets.upload(makePdf({ pages: [{ text: "beside" }] }), { vectorize: true });
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [] });
    expect(await drs.search("beside")).toHaveLength(1);
  } finally {
    await server.terminate();
  }
});

test("it does not where the newer one says that it cannot", { timeout: 120_000 }, async () => {
  migrateFurther("9999-of-the-future");
  const { code, stderr } = await startCommand(["serve", "--data-dir", dataDir, "--port", "0"], {}).outcome;
  expect(code).toBe(1);
  expect(stderr).toMatch(/was written by a newer version of drs, beside which this one cannot run/);
});
