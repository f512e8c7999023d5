import { describe, expect, it } from "vitest";
import { newOrganisationId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { Plan } from "../../server/domain/plans/plan.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import { createTenant, makeEvent, makeFounding, morning } from "./testing/records.ts";
import { noLimits } from "../../server/domain/plans/plan.ts";

const team: Plan = {
  name: "team",
  limits: {
    maxUploadBytes: 5e9,
    maxStorageBytes: 2e12,
    maxRetentionDays: 0.5,
    requestsPerMinute: 600,
    concurrentJobs: 4,
    maxPages: null,
  },
};
/** Organisations, their workspaces, plans and audit logs. */
export function organisationsContract(open: OpenMetadataFixture): void {
  describe("organisations", () => {
    const db = useMetadata(open);

    it("has no organisation at first, then tells the operator from all others", async () => {
      const { organisations } = db.store;
      expect(await organisations.operator()).toBeUndefined();
      expect(await organisations.list()).toEqual([]);
      const [customer, operator] = [
        makeFounding({ createdAt: morning }),
        makeFounding({ createdAt: morning + 1, isOperator: true }),
      ];
      for (const founding of [operator, customer]) expect(await organisations.create(founding, [])).toBe(true);
      expect(await organisations.operator()).toEqual(operator.organisation);
      expect(await organisations.list()).toEqual([customer.organisation, operator.organisation]);
      expect(await organisations.get(customer.organisation.id)).toEqual(customer.organisation);
      expect(await organisations.get(newOrganisationId())).toBeUndefined();
      expect(await organisations.create(makeFounding({ isOperator: true }), [])).toBe(false);
    });

    it("creates an organisation with its workspace, key and events, or nothing", async () => {
      const { store } = db;
      const founding = makeFounding();
      const { id: organisationId } = founding.organisation;
      const event = makeEvent({ organisationId, action: "organisation.create" });
      expect(await store.organisations.create(founding, [event])).toBe(true);
      expect(await store.workspaces.list(organisationId)).toEqual([founding.workspace]);
      expect(await store.keys.get(founding.key.id)).toEqual(founding.key);
      expect((await store.audit.list({ organisationId, offset: 0, limit: 10, action: "" })).data).toEqual([event]);

      const planless = makeFounding({ plan: "nowhere" });
      expect(await store.organisations.create(planless, [makeEvent()])).toBe(false);
      const broken = makeFounding();
      await expect(store.organisations.create(broken, [event])).rejects.toThrow(/constraint/i);
      for (const { organisation, key } of [planless, broken]) {
        expect(await store.organisations.get(organisation.id)).toBeUndefined();
        expect(await store.keys.get(key.id)).toBeUndefined();
      }
    });

    it("renames an organisation and puts it on another plan, each by itself", async () => {
      const { organisations, plans, audit } = db.store;
      const { organisationId } = await createTenant(db.store);
      await plans.set(team, makeEvent());
      const event = () => makeEvent({ organisationId, action: "organisation.update" });
      expect(await organisations.update(organisationId, { name: "New", plan: undefined }, [event()])).toMatchObject({
        name: "New",
        plan: "unlimited",
      });
      expect(await organisations.update(organisationId, { name: undefined, plan: "team" }, [event()])).toMatchObject({
        name: "New",
        plan: "team",
      });
      const wrong = { name: "Never", plan: "nowhere" };
      expect(await organisations.update(organisationId, wrong, [event()])).toBe("no plan");
      expect(await organisations.get(organisationId)).toMatchObject({ name: "New", plan: "team" });
      expect(
        await organisations.update(newOrganisationId(), { name: "x", plan: undefined }, [event()]),
      ).toBeUndefined();
      expect((await audit.list({ organisationId, offset: 0, limit: 10, action: "" })).total).toBe(2);
    });

    it("keeps plans, and deletes them once no organisation is on them", async () => {
      const { organisations, plans } = db.store;
      const small = { ...team, name: "small" };
      await plans.set(small, makeEvent());
      expect(await plans.get("small")).toEqual(small);
      const changed = { name: "small", limits: { ...noLimits, maxPages: 10 } };
      await plans.set(changed, makeEvent());
      expect(await plans.get("small")).toEqual(changed);
      expect(await plans.get("unlimited")).toEqual({ name: "unlimited", limits: noLimits });
      const names = (await plans.list()).map(({ name }) => name);
      expect(names).toEqual(names.toSorted());
      expect(names).toEqual(expect.arrayContaining(["small", "unlimited"]));

      const { organisationId } = await createTenant(db.store);
      await organisations.update(organisationId, { name: undefined, plan: "small" }, []);
      expect(await plans.delete("small", makeEvent())).toBe("in use");
      await organisations.update(organisationId, { name: undefined, plan: "unlimited" }, []);
      expect(await plans.delete("small", makeEvent())).toBe("deleted");
      expect(await plans.delete("small", makeEvent())).toBe("unknown");
      expect(await plans.get("small")).toBeUndefined();
    });

    it("finds workspaces by id and by name, within their organisation, and refuses a name twice", async () => {
      const { organisationId, workspaceId } = await createTenant(db.store);
      const other = await createTenant(db.store);
      const { workspaces } = db.store;
      const twice = { id: newWorkspaceId(), organisationId, name: "default", createdAt: morning };
      expect(await workspaces.create(twice, makeEvent({ organisationId }))).toBe(false);
      const named = { id: newWorkspaceId(), organisationId, name: workspaceId, createdAt: morning + 1 };
      expect(await workspaces.create(named, makeEvent({ organisationId }))).toBe(true);
      expect((await workspaces.find(organisationId, "default"))?.id).toBe(workspaceId);
      expect((await workspaces.find(organisationId, workspaceId))?.id).toBe(workspaceId);
      expect(await workspaces.find(other.organisationId, workspaceId)).toBeUndefined();
      expect((await workspaces.list(organisationId)).map(({ id }) => id)).toEqual([workspaceId, named.id]);
      expect((await workspaces.oldest(organisationId))?.id).toBe(workspaceId);
      expect(await workspaces.oldest(newOrganisationId())).toBeUndefined();
      expect((await db.store.audit.list({ organisationId, offset: 0, limit: 10, action: "" })).total).toBe(1);
    });

    it("lists events of one organisation from the newest, by the beginning of their action", async () => {
      const { audit, workspaces } = db.store;
      const { organisationId } = await createTenant(db.store);
      const stranger = await createTenant(db.store);
      const enter = async (fields: Parameters<typeof makeEvent>[0]) => {
        const event = makeEvent({ organisationId, ...fields });
        const id = newWorkspaceId();
        await workspaces.create({ id, organisationId, name: id, createdAt: morning }, event);
        return event;
      };
      const made = await enter({ action: "key.create", at: morning + 1 });
      const deleted = await enter({ action: "dataset.delete", at: morning + 3, workspaceId: newWorkspaceId() });
      const revoked = await enter({ action: "key.revoke", at: morning + 2, details: "“quoted”" });
      await enter({ organisationId: stranger.organisationId, action: "key.create" });
      const list = (action: string, offset = 0, limit = 10) => audit.list({ organisationId, offset, limit, action });
      expect(await list("")).toEqual({ total: 3, data: [deleted, revoked, made] });
      expect(await list("", 1, 1)).toEqual({ total: 3, data: [revoked] });
      expect(await list("key.")).toEqual({ total: 2, data: [revoked, made] });
      expect(await list("key.revoke")).toEqual({ total: 1, data: [revoked] });
      for (const nothing of ["KEY.", "%", "k_y", "key.revoke.more", "' or 1=1 --", "💥"]) {
        expect(await list(nothing)).toEqual({ total: 0, data: [] });
      }
    });
  });
}
