import { expect, describe, test } from "vitest";
import { nextVersion } from "../service/next-version/next-version.ts";
import { startBalancer } from "./balancer.ts";
import { expectWhole, uploadAll } from "./clients.ts";
import { documentOf } from "./documents.ts";
import { startFleet } from "./fleet.ts";
import { startLoad } from "./load.ts";
import { emptyStores, hasSharedStores, scaleReason } from "./stores.ts";

/** Its migration only adds to the tables. */
const next = nextVersion("0001-initial");
const soon = { timeout: 120_000, interval: 50 };

describe.skipIf(!hasSharedStores)(`an upgrade of one process after the other${scaleReason}`, () => {
  test("under load: no request fails, and no job", { timeout: 1_800_000 }, async () => {
    const fleet = await startFleet({
      apis: 2,
      workers: 2,
      env: await emptyStores(),
      apiFlags: ["--drain-delay-ms", "5000"],
    });
    try {
      const balancer = startBalancer(fleet.apis);
      const load = startLoad(balancer, fleet.apiKey);
      const documents = await uploadAll(fleet, [10, 4, 1, 20].map(documentOf), 2);
      for (const one of fleet.all) {
        await balancer.allReady();
        const before = load.answered();
        await expect.poll(load.answered, soon).toBeGreaterThan(before + 20);
        expect({ name: one.name, code: await one.terminate() }).toEqual({ name: one.name, code: 0 });
        await one.start(next);
      }
      await balancer.allReady();
      const later = await uploadAll(fleet, [5, 8].map(documentOf), 2);
      await load.stop();
      await balancer.close();
      expect(load.failures).toEqual([]);
      for (const each of [...documents, ...later]) await expectWhole(fleet, each);
      const jobs = await Array.fromAsync(fleet.client(0).jobs.list({ statuses: ["ERROR"] }));
      expect(jobs).toEqual([]);
      // This version reads what the next one has written: its migration vouches for it.
      expect(await fleet.verify()).toEqual({ code: 0, kinds: [] });
    } finally {
      await fleet.close();
    }
  });
});
