import { describe, expect, it } from "vitest";
import { newOwner } from "../../server/domain/processes.ts";
import { type OpenMetadataFixture, storeClock, useMetadata } from "./testing/metadata.ts";
import { makeFounding } from "./testing/records.ts";

const holdMs = 15_000;

/** The contract of leader leases between processes that share a store. */
export function leaderLeasesContract(open: OpenMetadataFixture): void {
  describe("duties", () => {
    const db = useMetadata(open);

    it("has one holder, which keeps it until it lets go or its time is over", async () => {
      const { leaderLeases } = db.store;
      const other = (await db.connect()).leaderLeases;
      expect(await leaderLeases.hold("upkeep", "one", holdMs)).toEqual({ requests: 0 });
      expect(await other.hold("upkeep", "two", holdMs)).toBeUndefined();
      storeClock.now += holdMs - 1;
      expect(await other.hold("upkeep", "two", holdMs)).toBeUndefined();
      expect(await leaderLeases.hold("upkeep", "one", holdMs)).toBeDefined();
      storeClock.now += holdMs - 1;
      expect(await other.hold("upkeep", "two", holdMs)).toBeUndefined();
      storeClock.now += 1;
      expect(await other.hold("upkeep", "two", holdMs)).toBeDefined();
      expect(await leaderLeases.hold("upkeep", "one", holdMs)).toBeUndefined();
      expect(await leaderLeases.hold("links", "one", holdMs)).toBeDefined();
      await other.release("two");
      expect(await leaderLeases.hold("upkeep", "one", holdMs)).toBeDefined();
      expect(await other.hold("links", "two", holdMs)).toBeUndefined();
    });

    it("goes to one of many that ask at once", async () => {
      const stores = [db.store, await db.connect(), await db.connect()];
      await db.store.leaderLeases.release("one");
      const held = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          must(stores[index % 3]).leaderLeases.hold("upkeep", `racer ${index}`, holdMs),
        ),
      );
      expect(held.filter((duty) => duty !== undefined)).toHaveLength(1);
      for (let index = 0; index < 12; index++) await db.store.leaderLeases.release(`racer ${index}`);
    });

    it("can be taken when the clock was set back", async () => {
      const { leaderLeases } = db.store;
      storeClock.now += 3_600_000;
      expect(await leaderLeases.hold("upkeep", "early", holdMs)).toBeDefined();
      storeClock.now -= 3_600_000;
      expect(await leaderLeases.hold("upkeep", "late", holdMs)).toBeDefined();
      await leaderLeases.release("late");
    });

    it("tells its holder how often others asked for the work, before it had one as well", async () => {
      const { leaderLeases } = db.store;
      const before = (await leaderLeases.hold("upkeep", "one", holdMs))?.requests ?? Number.NaN;
      const other = (await db.connect()).leaderLeases;
      await Promise.all([leaderLeases.request("upkeep"), other.request("upkeep"), other.request("upkeep")]);
      expect(await leaderLeases.hold("upkeep", "one", holdMs)).toEqual({ requests: before + 3 });
      await leaderLeases.release("one");
      await other.request("upkeep");
      expect(await other.hold("upkeep", "two", holdMs)).toEqual({ requests: before + 4 });
      await other.release("two");
    });

    it("ends with a process of this host that is dead, and with no other", async () => {
      const { leaderLeases } = db.store;
      await leaderLeases.release("one");
      // This process has another number than the one that has ended: none has number 0.
      const dead = newOwner().replace(/:\d+:/, ":0:");
      expect(await leaderLeases.hold("upkeep", dead, holdMs)).toBeDefined();
      expect(await leaderLeases.hold("links", "elsewhere:0:1", holdMs)).toBeDefined();
      await db.store.expireDead();
      expect(await leaderLeases.hold("upkeep", "one", holdMs)).toBeDefined();
      expect(await leaderLeases.hold("links", "one", holdMs)).toBeUndefined();
    });
  });

  describe("rates that processes share", () => {
    const db = useMetadata(open);

    it("grants a minute's requests once, to however many processes, and then as fast as the rate", async () => {
      const stores = [db.store, await db.connect(), await db.connect()];
      const grants = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          must(stores[index % 3]).rates.grant("key a", { perMinute: 60, count: 3 }),
        ),
      );
      expect(grants.reduce((sum, grant) => sum + grant.count, 0)).toBe(60);
      expect(await db.store.rates.grant("key b", { perMinute: 60, count: 3 })).toEqual({ count: 3, left: 57 });
      storeClock.now += 1_500;
      expect(await db.store.rates.grant("key a", { perMinute: 60, count: 3 })).toEqual({ count: 1, left: 0.5 });
      storeClock.now += 500;
      expect(await db.store.rates.grant("key a", { perMinute: 60, count: 3 })).toEqual({ count: 1, left: 0 });
      storeClock.now += 3_600_000;
      expect(await db.store.rates.grant("key a", { perMinute: 60, count: 1 })).toEqual({ count: 1, left: 59 });
    });

    it("grants nothing more when the clock is set back or the rate has become smaller", async () => {
      const { rates } = db.store;
      await rates.grant("key c", { perMinute: 10, count: 10 });
      storeClock.now -= 600_000;
      expect(await rates.grant("key c", { perMinute: 10, count: 1 })).toEqual({ count: 0, left: 0 });
      await rates.grant("key d", { perMinute: 100, count: 1 });
      expect(await rates.grant("key d", { perMinute: 5, count: 50 })).toEqual({ count: 5, left: 0 });
    });

    it("forgets what has not been used for hours", async () => {
      const { rates } = db.store;
      await rates.grant("key e", { perMinute: 10, count: 10 });
      await rates.sweep();
      expect(await rates.grant("key e", { perMinute: 10, count: 1 })).toEqual({ count: 0, left: 0 });
      storeClock.now += 2 * 3_600_000;
      await rates.sweep();
      expect(await rates.grant("key e", { perMinute: 10, count: 1 })).toEqual({ count: 1, left: 9 });
    });
  });

  describe("first starts at once", () => {
    const db = useMetadata(open);

    it("make one organisation that runs the service, whole", async () => {
      const stores = [db.store, await db.connect(), await db.connect()];
      const foundings = stores.map(() => makeFounding({ isOperator: true }));
      const made = await Promise.all(
        stores.map((store, index) => store.organisations.create(must(foundings[index]), [])),
      );
      expect(made.filter(Boolean)).toHaveLength(1);
      const [operator, ...others] = await db.store.organisations.list();
      expect(others).toEqual([]);
      const id = must(operator).id;
      expect([(await db.store.workspaces.list(id)).length, (await db.store.keys.list(id)).length]).toEqual([1, 1]);
    });
  });
}

function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("it is not there");
  return value;
}
