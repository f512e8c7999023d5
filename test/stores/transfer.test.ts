import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import {
  copyRows,
  type CopiedUpTo,
  digestRows,
  type TableDigest,
} from "../../server/storage/metadata/transfer/copy.ts";
import { openRows, type Rows } from "../../server/storage/metadata/open-rows.ts";
import { fillStock } from "../fixtures/metadata-stock.ts";
import { type PostgresServer, startPostgres, withoutPostgres } from "../servers/postgres.ts";
import { createTenant, morning } from "./testing/records.ts";

const stock = {
  datasets: 1_200,
  pagesOfLarge: 2_300,
  failedOfLarge: 12,
  pagesOfOthers: 900,
  queued: 50,
  otherWorkspaces: 5,
  finishedToday: 40,
  parts: 700,
  renditions: 30,
};

let folder: string;
let source: Rows;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-transfer-"));
  const dataDir = join(folder, "source");
  const metadata = await openMetadata({ url: undefined, dataDir });
  const tenant = await createTenant(metadata);
  await metadata.close();
  fillStock(dataDir, tenant, stock, morning);
  source = await openRows({ url: undefined, dataDir });
}, 120_000);
afterAll(async () => {
  await source.close();
  await rm(folder, { recursive: true });
});

async function digestsOf({ db }: Rows): Promise<readonly TableDigest[]> {
  const digests: TableDigest[] = [];
  for await (const digest of digestRows(db, new AbortController().signal)) digests.push(digest);
  return digests;
}

/** Copies, but breaks off after so many batches; how far it came. */
async function copySome(from: Rows, to: Rows, upTo: CopiedUpTo, maxBatches: number): Promise<CopiedUpTo | "whole"> {
  const breaking = new AbortController();
  let [batches, reached] = [0, upTo];
  const onCopied = async (_: string, __: number, now: CopiedUpTo): Promise<void> => {
    batches += 1;
    // One behind, as where the process dies before it has noted what it has copied.
    if (batches === maxBatches) breaking.abort(new Error("broken off"));
    else reached = now;
  };
  try {
    await copyRows({ from: from.db, to: to.db, upTo, signal: breaking.signal, onCopied });
    return "whole";
  } catch (cause) {
    if (cause !== breaking.signal.reason) throw cause;
    return reached;
  }
}

async function copyInSteps(from: Rows, to: Rows): Promise<number> {
  let reached: CopiedUpTo = {};
  for (let steps = 1; ; steps++) {
    const next = await copySome(from, to, reached, 4);
    if (next === "whole") return steps;
    reached = next;
  }
}

describe("rows of one database in another", { timeout: 120_000 }, () => {
  it("are the same, also when the copy was broken off again and again", async () => {
    const target = await openRows({ url: undefined, dataDir: join(folder, "steps") });
    expect(await copyInSteps(source, target)).toBeGreaterThan(5);
    const digests = await digestsOf(target);
    expect(digests).toEqual(await digestsOf(source));
    expect(digests.find(({ table }) => table === "datasets")?.rows).toBeGreaterThan(1_000);
    await target.close();
  });

  it("differ by one changed value", async () => {
    const target = await openRows({ url: undefined, dataDir: join(folder, "changed") });
    expect(await copySome(source, target, {}, Infinity)).toBe("whole");
    await target.db.updateTable("plans").set({ maxPages: 7 }).execute();
    const expected = await digestsOf(source);
    const differing = (await digestsOf(target)).filter(({ digest }, at) => digest !== expected[at]?.digest);
    expect(differing.map(({ table }) => table)).toEqual(["plans"]);
    await target.close();
  });
});

describe.skipIf(withoutPostgres !== "")(`rows between SQLite and PostgreSQL${withoutPostgres}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);
  afterAll(() => server?.close());

  it("are the same there, and the same again when they come back", { timeout: 240_000 }, async () => {
    const url = await server.createDatabase();
    const there = await openRows({ url, dataDir: folder });
    const back = await openRows({ url: undefined, dataDir: join(folder, "back") });
    try {
      await copyInSteps(source, there);
      expect(await digestsOf(there)).toEqual(await digestsOf(source));
      await copyInSteps(there, back);
      expect(await digestsOf(back)).toEqual(await digestsOf(source));
    } finally {
      await there.close();
      await back.close();
    }
  });
});
