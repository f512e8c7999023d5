import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { Schema } from "./schema.ts";
import { sliceOf } from "./slices.ts";
import { openSqlite } from "./sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "drs-slices-"));
const path = join(folder, "rows.sqlite");
const file = new DatabaseSync(path);
file.exec(`create table jobs (id text, "createdAt" integer)`);
for (let at = 1; at <= 5; at++) file.exec(`insert into jobs values ('job_${at}', ${at})`);
file.close();
const engine = openSqlite(path, Date.now);
const db = new Kysely<Schema>({ dialect: engine.dialect });
afterAll(async () => {
  await db.destroy();
  rmSync(folder, { recursive: true });
});

const newest = [{ column: "createdAt", descending: true }];
const slice = (total: number, offset: number, limit: number) =>
  sliceOf(db, [db.selectFrom("jobs").select(["id", "createdAt"])], newest, { total, offset, limit });

it("misses no entry although the list has grown since its length was read", async () => {
  expect(await slice(5, 0, 10)).toEqual(["job_5", "job_4", "job_3", "job_2", "job_1"]);
  expect(await slice(4, 0, 10)).toEqual(["job_5", "job_4", "job_3", "job_2", "job_1"]);
  expect(await slice(4, 3, 10)).toEqual(["job_1"]);
  expect(await slice(4, 0, 2)).toEqual(["job_5", "job_4"]);
});
