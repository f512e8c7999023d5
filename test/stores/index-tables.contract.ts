import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId, type WorkspaceId } from "../../server/domain/ids.ts";
import type { Garbage } from "../../server/domain/ports/garbage.ts";
import type { IndexTable } from "../../server/domain/ports/index-tables.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { type MetadataFixture, type OpenMetadataFixture, storeClock } from "./testing/metadata.ts";
import { createTenant, morning } from "./testing/records.ts";

const now = morning + 1000;
const pack = { id: "one@1.0.0", model: "one", manifest: "{}" };
const other = { ...pack, id: "two@1.0.0" };

let names = 0;
const tableOf = (workspaceId: WorkspaceId, of = pack.id): IndexTable => ({
  workspaceId,
  pack: of,
  name: `table-${(names += 1)}`,
  unsyncedIn: "",
  version: 0,
});

/** Which table is the index, and what becomes of the indices whose rows were in one that is none any more. */
export function indexTablesContract(open: OpenMetadataFixture): void {
  describe("tables of the index", () => {
    let fixture: MetadataFixture;
    let store: Metadata;
    let workspaceId: WorkspaceId;
    beforeAll(async () => {
      fixture = await open();
      store = await fixture.connect();
      await store.packs.use(pack, now);
    });
    afterAll(() => fixture.dispose());
    beforeEach(async () => {
      storeClock.now = now;
      ({ workspaceId } = await createTenant(store));
    });

    const garbage = async (): Promise<readonly Garbage[]> => store.garbage.due(now + 3_600_000, 10_000);

    it("are one for each workspace and pack; those that are not taken stay garbage", async () => {
      const [one, two] = [tableOf(workspaceId), tableOf(workspaceId)];
      const tables: readonly Garbage[] = [one, two].map(({ name }) => ({ kind: "table", key: name }));
      await store.garbage.add(tables, now);
      expect(await store.indexTables.find(one)).toBeUndefined();
      expect(await store.indexTables.add(one)).toEqual(one);
      expect(await store.indexTables.add(two)).toEqual(one);
      expect(await store.indexTables.add(one)).toEqual(one);
      expect(await store.indexTables.find({ workspaceId, pack: pack.id })).toEqual(one);
      expect((await garbage()).filter(({ kind }) => kind === "table")).toEqual([{ kind: "table", key: two.name }]);
      const elsewhere = [tableOf(newWorkspaceId()), tableOf(workspaceId, other.id)];
      for (const table of elsewhere) expect(await store.indexTables.add(table)).toEqual(table);
      expect(await store.indexTables.ofPack(other.id, 10)).toEqual([elsewhere[1]]);
      expect(await store.indexTables.ofPack(pack.id, 1)).toHaveLength(1);
      await store.indexTables.forgetAll();
      expect(await store.indexTables.ofPack(pack.id, 10)).toEqual([]);
      expect((await garbage()).filter(({ kind }) => kind === "table")).toEqual([]);
    });

    it("have a version, which only counts up", async () => {
      const table = tableOf(workspaceId);
      await store.indexTables.add(table);
      for (const version of [3, 7, 5]) await store.indexTables.noteVersion(table.name, version);
      expect(await store.indexTables.find(table)).toEqual({ ...table, version: 7 });
      await store.indexTables.noteVersion("gone", 9);
    });

    it("are the same for all that add one at once", async () => {
      const others = await fixture.connect();
      const added = await Promise.all([
        store.indexTables.add(tableOf(workspaceId)),
        others.indexTables.add(tableOf(workspaceId)),
      ]);
      expect(added[0]).toEqual(added[1]);
    });

    it("are due once they are written to, until a round is done after which nothing was written", async () => {
      const [one, two] = [tableOf(workspaceId), tableOf(workspaceId, other.id)];
      const due = async (before: number) =>
        (await store.indexTables.due(before, 100)).filter((table) => table.workspaceId === workspaceId);
      expect(await store.indexTables.noteWrite(one, "boot")).toBeUndefined();
      for (const table of [one, two]) await store.indexTables.add(table);
      expect(await due(now)).toEqual([]);
      expect(await store.indexTables.noteWrite(one, "boot")).toEqual({ ...one, unsyncedIn: "boot" });
      expect(await store.indexTables.noteWrite(one, "boot")).toEqual({ ...one, unsyncedIn: "boot" });
      expect(await store.indexTables.noteWrite(two, "boot")).toMatchObject({ name: two.name });
      await store.indexTables.maintained({ name: one.name, writes: 2 }, { at: now, isDone: false });
      expect(await due(now)).toEqual([{ ...two, unsyncedIn: "boot", writes: 1 }]);
      expect((await due(now + 1)).map(({ name }) => name)).toEqual([two.name, one.name]);
      await store.indexTables.maintained({ name: one.name, writes: 1 }, { at: now + 1, isDone: true });
      expect(await due(now + 2)).toContainEqual({ ...one, unsyncedIn: "boot", writes: 2 });
      await store.indexTables.maintained({ name: one.name, writes: 2 }, { at: now + 2, isDone: true });
      expect((await due(now + 10)).map(({ name }) => name)).toEqual([two.name]);
      expect(await store.indexTables.find(one)).toEqual(one);
      await store.indexTables.noteWrite(one, "next");
      expect(await due(now + 2)).toHaveLength(1);
      expect(await due(now + 3)).toContainEqual({ ...one, unsyncedIn: "next", writes: 3 });
    });

    it("are garbage by their names, and vectors say which table has them", async () => {
      const table = { workspaceId, pack: pack.id };
      const key = newDatasetId();
      const put: Garbage[] = [
        { kind: "table", key: "gone@1" },
        { kind: "vectors", key },
        { kind: "vectors", key, generation: "g", table },
      ];
      await store.garbage.add(put, now);
      // Said again by whoever does not know it.
      await store.garbage.add([{ kind: "vectors", key, generation: "g" }], now);
      const ours = (all: readonly Garbage[]) => all.filter((one) => one.key === key || one.key === "gone@1");
      expect(ours(await garbage())).toEqual(put);
      expect(ours(await store.garbage.take(put, { now, until: now + 1 }))).toHaveLength(3);
      for (const one of put) await store.garbage.done(one);
      expect(ours(await garbage())).toEqual([]);
    });
  });
}
