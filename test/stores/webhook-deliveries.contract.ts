import { describe, expect, it } from "vitest";
import type { Try } from "../../server/domain/ports/webhooks.ts";
import type { Delivery, Webhook } from "../../server/domain/webhooks/webhook.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import { createTenant, morning } from "./testing/records.ts";
import { claimDue, hooked, secrets, told } from "./testing/webhooks.ts";

const accepted: Try = { status: "delivered", dueAt: null, lastStatus: 204, lastError: null, endpoint: "accepted" };
const refused = (dueAt: number | null): Try => ({
  status: dueAt === null ? "failed" : "pending",
  dueAt,
  lastStatus: 500,
  lastError: "it answered 500",
  endpoint: "refused",
});

/** The contract of deliveries in the outbox: claims, tries, and their end. */
export function webhookDeliveriesContract(open: OpenMetadataFixture): void {
  describe("deliveries of webhooks", () => {
    const db = useMetadata(open);
    const now = morning + 1_000;

    /** A message of a kind of its own, to be sent at once. */
    function message({ id, workspaceId }: Webhook, name: string, at = now): Delivery {
      const sent = { status: "pending", tries: 0, createdAt: at, dueAt: at } as const;
      const never = { lastTryAt: null, lastStatus: null, lastError: null, finishedAt: null };
      const payload = `{"name":"${name}"}`;
      return { target: id, messageId: name, workspaceId, type: "webhook.test", payload, ...sent, ...never };
    }

    it("gives each delivery to one claim, which ends with its time or its outcome", async () => {
      const { store } = db;
      const tenant = await hooked(store);
      const { webhook } = tenant;
      for (const name of ["one", "two", "three"]) await store.webhooks.enter(message(webhook, name));
      const [first, ...others] = await claimDue(store, tenant, now, 2);
      expect(others).toHaveLength(1);
      const rest = await claimDue(store, tenant, now, 5);
      expect(rest).toHaveLength(1);
      expect(await claimDue(store, tenant, now, 5)).toEqual([]);
      if (first === undefined) throw new Error("nothing was claimed");
      expect(first.destination).toEqual({ url: webhook.url, secrets, failingSince: null });
      expect(await store.webhooks.settle(first, accepted, now)).toBe(true);
      expect(await store.webhooks.settle(first, refused(null), now)).toBe(false);
      const again = await claimDue(store, tenant, now + 60_000);
      expect(again.map(({ delivery }) => delivery.messageId).toSorted()).toEqual(
        [...others, ...rest].map(({ delivery }) => delivery.messageId).toSorted(),
      );
      for (const late of [...others, ...rest]) expect(await store.webhooks.settle(late, accepted, now)).toBe(false);
      for (const claim of again) await store.webhooks.release(claim, now + 60_000);
      expect(await claimDue(store, tenant, now + 60_000)).toHaveLength(2);
    });

    it("notes what became of each try, and since when an endpoint fails", async () => {
      const { store } = db;
      const tenant = await hooked(store);
      const { webhook, workspaceId } = tenant;
      await store.webhooks.enter(message(webhook, "failing"));
      const ref = { workspaceId, target: webhook.id, messageId: "failing" };
      const tryIt = async (at: number, outcome: Try): Promise<void> => {
        const [claim] = await claimDue(store, tenant, at);
        if (claim === undefined) throw new Error("nothing was due");
        expect(await store.webhooks.settle(claim, outcome, at)).toBe(true);
      };
      const failing = async () => (await store.webhooks.get(workspaceId, webhook.id))?.failingSince;
      await tryIt(now, refused(now + 5_000));
      expect(await claimDue(store, tenant, now + 4_999)).toEqual([]);
      const tried = { tries: 1, lastTryAt: now, lastStatus: 500, lastError: "it answered 500" };
      expect(await store.webhooks.delivery(ref)).toMatchObject({ status: "pending", dueAt: now + 5_000, ...tried });
      await tryIt(now + 5_000, refused(null));
      expect(await store.webhooks.delivery(ref)).toMatchObject({ status: "failed", tries: 2, finishedAt: now + 5_000 });
      expect(await failing()).toBe(now);
      expect(await store.webhooks.redeliver(ref, now + 6_000)).toMatchObject({
        status: "pending",
        tries: 0,
        lastTryAt: null,
        lastStatus: null,
        lastError: null,
      });
      await tryIt(now + 6_000, accepted);
      expect(await store.webhooks.delivery(ref)).toMatchObject({
        status: "delivered",
        lastError: null,
        lastStatus: 204,
      });
      expect(await failing()).toBeNull();
      const elsewhere = await createTenant(store);
      expect(await store.webhooks.delivery({ ...ref, workspaceId: elsewhere.workspaceId })).toBeUndefined();
      expect(await store.webhooks.redeliver({ ...ref, workspaceId: elsewhere.workspaceId }, now)).toBeUndefined();
    });

    it("disables an endpoint with an entry in the audit log, and gives out no destination from then on", async () => {
      const { store } = db;
      const tenant = await hooked(store);
      const { webhook, workspaceId, organisationId } = tenant;
      for (const name of ["last", "left"]) await store.webhooks.enter(message(webhook, name));
      const [claim] = await claimDue(store, tenant, now, 1);
      if (claim === undefined) throw new Error("nothing was due");
      const endpoint = { disabledReason: "it answered 410" };
      await store.webhooks.settle(claim, { ...refused(null), endpoint }, now);
      const disabled = { disabledAt: now, ...endpoint, failingSince: now };
      expect(await store.webhooks.get(workspaceId, webhook.id)).toEqual({ ...webhook, ...disabled });
      const [left] = await claimDue(store, tenant, now);
      expect(left?.destination).toBeUndefined();
      const logged = await store.audit.list({ organisationId, offset: 0, limit: 10, action: "webhook.disable" });
      expect(logged.data).toMatchObject([
        { actor: "service", target: webhook.id, workspaceId, details: "it answered 410" },
      ]);
    });

    it("forgets deliveries that have ended, oldest first", async () => {
      const { store } = db;
      const tenant = await hooked(store);
      const { webhook } = tenant;
      for (const name of ["old", "new", "pending"]) await store.webhooks.enter(message(webhook, name));
      for (const claim of await claimDue(store, tenant, now)) {
        const { messageId } = claim.delivery;
        if (messageId === "pending") await store.webhooks.release(claim, now);
        else await store.webhooks.settle(claim, accepted, messageId === "old" ? morning - 2 : now);
      }
      expect(await store.webhooks.prune(morning - 1, 10)).toBe(1);
      expect((await told(store, webhook)).map(({ messageId }) => messageId).toSorted()).toEqual(["new", "pending"]);
    });
  });
}
