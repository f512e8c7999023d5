import { describe, expect, it } from "vitest";
import { newKeyId } from "../../server/domain/ids.ts";
import type { ApiKey } from "../../server/domain/workspaces/workspace.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import { createTenant, makeEvent, morning, type Tenant } from "./testing/records.ts";

function makeKey({ organisationId, workspaceId }: Tenant, fields: Partial<ApiKey> = {}): ApiKey {
  return {
    id: newKeyId(),
    organisationId,
    workspaceId,
    name: "ci",
    secretSha256: "ab".repeat(32),
    scopes: ["read", "search"],
    createdAt: morning,
    lastUsedAt: null,
    revokedAt: null,
    expiresAt: null,
    requestsPerMinute: null,
    filter: null,
    replacedBy: null,
    ...fields,
  };
}

/** API keys and the keys that sign links. */
export function keysContract(open: OpenMetadataFixture): void {
  describe("keys", () => {
    const db = useMetadata(open);
    const acts = async ({ organisationId }: Tenant) => {
      const { data } = await db.store.audit.list({ organisationId, offset: 0, limit: 100, action: "" });
      return data.map(({ action, at }) => `${action} ${at - morning}`);
    };

    it("keeps keys with their limits, and their uses", async () => {
      const tenant = await createTenant(db.store);
      const stranger = await createTenant(db.store);
      const { keys } = db.store;
      const key = makeKey(tenant, { createdAt: morning + 1, expiresAt: morning + 99, requestsPerMinute: 60 });
      await keys.create(key, makeEvent());
      expect(await keys.get(key.id)).toEqual(key);
      const bound = makeKey(await createTenant(db.store), { filter: `{"customer":42}` });
      await keys.create(bound, makeEvent());
      expect(await keys.get(bound.id)).toEqual(bound);
      await keys.touch(new Map([[key.id, morning + 50]]));
      await keys.touch(new Map([[key.id, morning + 20]]));
      expect((await keys.get(key.id))?.lastUsedAt).toBe(morning + 50);
      const later = makeKey(tenant, { createdAt: morning + 2 });
      await keys.create(later, makeEvent());
      const [, ...others] = await keys.list(tenant.organisationId);
      expect(others.map(({ id }) => id)).toEqual([key.id, later.id]);
      expect(await keys.list(tenant.organisationId, stranger.workspaceId)).toEqual([]);
      expect((await keys.list(stranger.organisationId)).map(({ id }) => id)).not.toContain(key.id);
    });

    it("keeps the time a key was first revoked, with one event, and no other organisation revokes it", async () => {
      const tenant = await createTenant(db.store);
      const { organisationId } = tenant;
      const stranger = await createTenant(db.store);
      const { keys } = db.store;
      const key = makeKey(tenant);
      const event = (at: number) => makeEvent({ organisationId, action: "key.revoke", at: morning + at });
      await keys.create(key, makeEvent({ organisationId, action: "key.create" }));
      expect(await keys.revoke(stranger.organisationId, key.id, morning + 60, event(60))).toBeUndefined();
      expect((await keys.revoke(organisationId, key.id, morning + 61, event(61)))?.revokedAt).toBe(morning + 61);
      expect((await keys.revoke(organisationId, key.id, morning + 90, event(90)))?.revokedAt).toBe(morning + 61);
      expect(await acts(tenant)).toEqual(["key.revoke 61", "key.create 0"]);
    });

    it("replaces a key once, however many try at the same time", async () => {
      const tenant = await createTenant(db.store);
      const { organisationId } = tenant;
      const key = makeKey(tenant);
      await db.store.keys.create(key, makeEvent());
      const other = await db.connect();
      const attempts = [db.store, other, db.store].map((store) => {
        const successor = makeKey(tenant);
        const event = makeEvent({ organisationId, action: "key.rotate" });
        return store.keys.rotate(key.id, successor, morning + 500, event).then((done) => ({ done, successor }));
      });
      const outcomes = await Promise.all(attempts);
      const [winner, ...rest] = outcomes.filter(({ done }) => done);
      expect(rest).toEqual([]);
      expect(await db.store.keys.get(key.id)).toMatchObject({
        expiresAt: morning + 500,
        replacedBy: winner?.successor.id,
      });
      for (const { done, successor } of outcomes) {
        expect(await db.store.keys.get(successor.id)).toEqual(done ? successor : undefined);
      }
      expect(await acts(tenant)).toEqual(["key.rotate 0"]);
    });

    it("replaces no revoked key", async () => {
      const tenant = await createTenant(db.store);
      const key = makeKey(tenant, { revokedAt: morning });
      await db.store.keys.create(key, makeEvent());
      const successor = makeKey(tenant);
      expect(await db.store.keys.rotate(key.id, successor, morning, makeEvent())).toBe(false);
      expect(await db.store.keys.get(successor.id)).toBeUndefined();
    });

    it("enters no key without its event", async () => {
      const tenant = await createTenant(db.store);
      const event = makeEvent();
      const [first, second] = [makeKey(tenant), makeKey(tenant)];
      await db.store.keys.create(first, event);
      await expect(db.store.keys.create(second, event)).rejects.toThrow(/constraint/i);
      expect(await db.store.keys.get(second.id)).toBeUndefined();
    });

    describe("signing keys", () => {
      const keyOf = (id: string, createdAt: number) => ({ id, secret: `of ${id}`, createdAt, supersededAt: null });
      const event = () => makeEvent({ action: "link.rotate" });

      it("one signs, until another takes its place", async () => {
        const { signingKeys } = db.store;
        expect(await signingKeys.current()).toBeUndefined();
        expect(await signingKeys.rotate(keyOf("a", morning), { replaces: undefined, event: undefined })).toBe(true);
        expect(await signingKeys.rotate(keyOf("b", morning + 5), { replaces: "a", event: event() })).toBe(true);
        expect(await signingKeys.current()).toEqual(keyOf("b", morning + 5));
        expect(await signingKeys.get("a")).toEqual({ ...keyOf("a", morning), supersededAt: morning + 5 });
        expect(await signingKeys.get("c")).toBeUndefined();
        expect((await signingKeys.list()).map(({ id }) => id)).toEqual(["b", "a"]);
      });

      it("of several that would supersede it at the same time one does", async () => {
        const { signingKeys } = db.store;
        await signingKeys.replaceAll(keyOf("a", morning), event());
        const seconds = ["b", "c", "d"].map((id) =>
          signingKeys.rotate(keyOf(id, morning + 1), { replaces: "a", event: undefined }),
        );
        expect((await Promise.all(seconds)).filter(Boolean)).toHaveLength(1);
        const before = await signingKeys.list();
        expect(before).toHaveLength(2);
        expect(await signingKeys.rotate(keyOf("e", morning + 2), { replaces: "a", event: event() })).toBe(false);
        expect(await signingKeys.rotate(keyOf("e", morning + 2), { replaces: undefined, event: event() })).toBe(false);
        expect(await signingKeys.list()).toEqual(before);
      });

      it("a key made earlier by the clock can take the place of a later one", async () => {
        const { signingKeys } = db.store;
        await signingKeys.replaceAll(keyOf("a", morning), event());
        await signingKeys.rotate(keyOf("b", morning - 1_000), { replaces: "a", event: undefined });
        expect(await signingKeys.current()).toMatchObject({ id: "b" });
      });

      it("all can be replaced, and superseded ones removed", async () => {
        const { signingKeys } = db.store;
        await signingKeys.replaceAll(keyOf("a", morning), event());
        await signingKeys.rotate(keyOf("b", morning + 10), { replaces: "a", event: undefined });
        await signingKeys.rotate(keyOf("c", morning + 20), { replaces: "b", event: undefined });
        const never = { supersededBefore: 0, createdBefore: 0 };
        expect(await signingKeys.prune({ ...never, supersededBefore: morning + 10 })).toBe(0);
        expect(await signingKeys.prune({ ...never, supersededBefore: morning + 11 })).toBe(1);
        expect(await signingKeys.prune({ ...never, createdBefore: morning + 100 })).toBe(1);
        expect(await signingKeys.list()).toEqual([keyOf("c", morning + 20)]);
        await signingKeys.replaceAll(keyOf("d", morning + 30), event());
        expect(await signingKeys.list()).toEqual([keyOf("d", morning + 30)]);
      });
    });
  });
}
