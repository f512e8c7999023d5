import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { newWorkspaceId, type WorkspaceId } from "../../server/domain/ids.ts";
import type { ClaimedJob } from "../../server/domain/ports/jobs.ts";
import { useMetadata, type OpenMetadataFixture } from "./testing/metadata.ts";
import { claimAt, claimNext, createDataset, createTenant, makeEvent, morning, type Tenant } from "./testing/records.ts";

/** The order in which organisations, and their workspaces, have jobs claimed. */
export function turnsContract(open: OpenMetadataFixture): void {
  describe("turns in the queue", () => {
    const db = useMetadata(open);
    const addWorkspace = async ({ organisationId }: Tenant): Promise<WorkspaceId> => {
      const id = newWorkspaceId();
      await db.store.workspaces.create({ id, organisationId, name: id, createdAt: morning }, makeEvent());
      return id;
    };
    let at = morning + 1000;
    afterEach(async () => {
      for (let left = await claimAt(db.store, "w", at); left !== undefined; left = await claimAt(db.store, "w", at)) {
        await end(left);
      }
    });
    const claim = (): Promise<ClaimedJob> => claimNext(db.store, "w", ++at);
    const end = ({ lease }: ClaimedJob) => db.store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, at);
    const serve = async (): Promise<WorkspaceId> => {
      const claimed = await claim();
      await end(claimed);
      return claimed.job.workspaceId;
    };

    it("gives an organisation with many workspaces no more turns than another, and shares them among those", async () => {
      const [large, small] = [await createTenant(db.store), await createTenant(db.store)];
      const many = [large.workspaceId];
      while (many.length < 30) many.push(await addWorkspace(large));
      for (const id of [...many, ...many, small.workspaceId, small.workspaceId]) await createDataset(db.store, id);
      const held = [];
      while (held.length < 6) held.push(await claim());
      const turns = held.map(({ organisationId }) => (organisationId === large.organisationId ? "large" : "small"));
      expect(turns).toEqual(["large", "small", "large", "small", "large", "large"]);
      const places = held.map(({ job }) => job.workspaceId).filter((id) => many.includes(id));
      expect(new Set(places).size).toBe(4);
      for (const each of held) await end(each);
      // With nothing at work, the one that was served longest ago comes first.
      await createDataset(db.store, small.workspaceId);
      expect(await serve()).toBe(small.workspaceId);
      expect(many).toContain(await serve());
    });

    it("serves no organisation sooner because it has left the line and comes with another workspace", async () => {
      const [first, second] = [await createTenant(db.store), await createTenant(db.store)];
      for (const { workspaceId } of [second, first]) {
        await createDataset(db.store, workspaceId);
        expect(await serve()).toBe(workspaceId);
      }
      expect(await claimAt(db.store, "w", ++at)).toBeUndefined();
      const fresh = await addWorkspace(first);
      for (const id of [fresh, second.workspaceId]) await createDataset(db.store, id);
      expect([await serve(), await serve()]).toEqual([second.workspaceId, fresh]);
    });

    it("goes on where a worker that knows no turns of organisations has taken a workspace out of the line", async () => {
      const tenant = await createTenant(db.store);
      await createDataset(db.store, tenant.workspaceId);
      await serve();
      await db.run(sql`delete from "turns"`);
      expect(await claimAt(db.store, "w", ++at)).toBeUndefined();
      for (const id of [tenant.workspaceId, await addWorkspace(tenant)]) {
        await createDataset(db.store, id);
        expect(await serve()).toBe(id);
      }
    });

    it.each(["organisations", "workspaces of one"])(
      "lets %s take turns: the fewest jobs at work first, then the longest wait, then the oldest job",
      async (kind) => {
        const tenant = await createTenant(db.store);
        const large = tenant.workspaceId;
        const small =
          kind === "organisations" ? (await createTenant(db.store)).workspaceId : await addWorkspace(tenant);
        for (const [id, createdAt, count] of [
          [large, morning, 4],
          [small, morning + 100, 2],
        ] as const) {
          for (let index = 0; index < count; index++) {
            await createDataset(db.store, id, { createdAt: createdAt + index });
          }
        }
        const [first, second] = [await claim(), await claim()];
        expect([first, second].map(({ job }) => job.workspaceId)).toEqual([large, small]);
        await end(first);
        // The large one has nothing at work any more, the small one still has.
        const third = await claim();
        expect(third.job.workspaceId).toBe(large);
        await end(second);
        await end(third);
        // Neither has a job at work: the small one was served longer ago, though its job is younger.
        expect(await serve()).toBe(small);
        expect([await serve(), await serve()]).toEqual([large, large]);
        expect(await claimAt(db.store, "w", at)).toBeUndefined();
      },
    );
  });
}
