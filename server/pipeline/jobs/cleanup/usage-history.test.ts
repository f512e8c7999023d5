import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openMetadata } from "../../../storage/metadata/open.ts";
import { noteUsage } from "./upkeep.ts";

const dayMs = 86_400_000;

test("usage is recorded for the day by the store's clock, and kept for 400 days", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-usage-history-"));
  let time = Date.parse("2026-11-22T23:59:00Z");
  const metadata = await openMetadata({ url: undefined, dataDir, clock: () => time });
  const database = new DatabaseSync(join(dataDir, "metadata.sqlite"));
  try {
    database.exec(`insert into "plans" ("name") values ('any') on conflict do nothing;
      insert into "organisations" ("id", "name", "createdAt", "plan", "isOperator") values ('org_1', 'One', 1, 'any', 0);
      insert into "workspaces" ("id", "organisationId", "name", "createdAt") values ('ws_1', 'org_1', 'one', 1)`);
    const days = (): unknown[] => database.prepare(`select "day" from "dailyUsage" order by "day"`).all();
    await noteUsage(metadata);
    await noteUsage(metadata);
    expect(days()).toEqual([{ day: "2026-11-22" }]);
    time += 120_000;
    await noteUsage(metadata);
    expect(days()).toEqual([{ day: "2026-11-22" }, { day: "2026-11-23" }]);
    time = Date.parse("2026-11-22T12:00:00Z") + 400 * dayMs;
    await noteUsage(metadata);
    expect(days()).toEqual([{ day: "2026-11-23" }, { day: "2027-12-27" }]);
  } finally {
    database.close();
    await metadata.close();
    await rm(dataDir, { recursive: true });
  }
});
