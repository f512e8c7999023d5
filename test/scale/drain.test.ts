import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startBalancer } from "./balancer.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { startLoad } from "./load.ts";
import { emptyStores, hasSharedStores, scaleReason } from "./stores.ts";

const soon = { timeout: 120_000, interval: 50 };

describe.skipIf(!hasSharedStores)(`processes that are told to stop${scaleReason}`, { timeout: 600_000 }, () => {
  let fleet: Fleet;
  let env: Record<string, string>;
  beforeAll(async () => {
    env = await emptyStores();
    fleet = await startFleet({ apis: 2, workers: 2, env, apiFlags: ["--drain-delay-ms", "5000"] });
  }, 600_000);
  afterAll(() => fleet.close());

  async function count(where: string): Promise<number> {
    const client = new pg.Client({ connectionString: env["DRS_DATABASE_URL"] });
    await client.connect();
    try {
      const { rows } = await client.query<{ n: number }>(`select count(*)::int as n from ${where}`);
      return rows[0]?.n ?? -1;
    } finally {
      await client.end();
    }
  }

  test("an API process under load loses no request, neither when it ends nor when it starts again", async () => {
    const { apiKey, apis } = fleet;
    const balancer = startBalancer(apis);
    const load = startLoad(balancer, apiKey);
    for (const api of apis) {
      await balancer.allReady();
      const before = load.answered();
      await expect.poll(load.answered, soon).toBeGreaterThan(before + 20);
      expect(await api.terminate()).toBe(0);
      await api.start();
    }
    await balancer.allReady();
    await load.stop();
    await balancer.close();
    expect(load.failures).toEqual([]);
    expect(new Set(load.uploaded).size).toBe(load.uploaded.length);
    const stored = await Array.fromAsync(fleet.client(0).datasets.list());
    expect(stored.map(({ id }) => id).toSorted()).toEqual(load.uploaded.toSorted());
  });

  test("a worker gives its job back at once, and another goes on", async () => {
    const pages = Array.from({ length: 400 }, (_, index) => ({ text: `page ${index + 1} of words` }));
    const drs = fleet.client(0);
    await expect.poll(() => count(`jobs where "finishedAt" is null`), soon).toBe(0);
    const [first, second] = fleet.workers;
    await second?.terminate();
    const { id } = await drs.datasets.upload(makePdf({ pages }), { vectorize: true, fileName: "long.pdf" });
    await expect.poll(async () => (await drs.jobs.get(id)).progress.pagesDone, soon).toBeGreaterThan(0);
    expect(await first?.terminate()).toBe(0);
    expect(await count(`jobs where "leaseOwner" is not null`)).toBe(0);
    expect(await count(`"suspectPages"`)).toBe(0);
    expect(await drs.jobs.get(id)).toMatchObject({ status: "IN_PROGRESS" });
    await second?.start();
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [], statusText: "" });
  });
});
