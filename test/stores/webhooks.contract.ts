import { describe, expect, it } from "vitest";
import { newWebhookId, type WorkspaceId } from "../../server/domain/ids.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import type { ClaimedDelivery, Try } from "../../server/domain/ports/webhooks.ts";
import { type Delivery, type Webhook, webhookEvents } from "../../server/domain/webhooks/webhook.ts";
import { type OpenMetadataFixture, storeClock, useMetadata } from "./testing/metadata.ts";
import {
  cancelled,
  claimAt,
  createDataset,
  createTenant,
  makeDataset,
  makeEvent,
  makeJob,
  morning,
  type Tenant,
} from "./testing/records.ts";

const secrets = { secret: "whsec_AAAA", previousSecret: null, previousUntil: null };

function makeWebhook(workspaceId: WorkspaceId, fields: Partial<Webhook> = {}): Webhook {
  return {
    id: newWebhookId(),
    workspaceId,
    url: "https://example.org/hook",
    events: webhookEvents,
    description: "",
    createdAt: morning,
    updatedAt: null,
    disabledAt: null,
    disabledReason: null,
    failingSince: null,
    secrets,
    ...fields,
  };
}

const accepted: Try = { status: "delivered", dueAt: null, lastStatus: 204, lastError: null, endpoint: "accepted" };
const refused = (dueAt: number | null): Try => ({
  status: dueAt === null ? "failed" : "pending",
  dueAt,
  lastStatus: 500,
  lastError: "it answered 500",
  endpoint: "refused",
});

/** Endpoints and the outbox. */
export function webhooksContract(open: OpenMetadataFixture): void {
  describe("webhooks", () => {
    const db = useMetadata(open);
    const now = morning + 1_000;
    const event = makeEvent({ action: "webhook.create" });
    const list = (store: Metadata, webhook: Pick<Webhook, "workspaceId" | "id">) =>
      store.webhooks.deliveries({
        workspaceId: webhook.workspaceId,
        target: webhook.id,
        statuses: [],
        offset: 0,
        limit: 100,
      });
    const told = async (store: Metadata, webhook: Pick<Webhook, "workspaceId" | "id">) =>
      (await list(store, webhook)).data.map(({ type, messageId }) => ({ type, messageId }));

    /** A tenant with a webhook. */
    async function hooked(store: Metadata, fields: Partial<Webhook> = {}): Promise<Tenant & { webhook: Webhook }> {
      const tenant = await createTenant(store);
      const webhook = makeWebhook(tenant.workspaceId, fields);
      const made = makeEvent({ organisationId: tenant.organisationId, action: "webhook.create" });
      expect(await store.webhooks.create(webhook, 20, made)).toBe(true);
      return { ...tenant, webhook };
    }

    /** Claims the tenant's job, which is the only one. */
    async function claimed(store: Metadata, at = now) {
      const found = await claimAt(store, "worker", at);
      if (found === undefined) throw new Error("there is no job to claim");
      return found;
    }

    /** Claims what is due in the lanes of the workspace. */
    async function claimDue(store: Metadata, { workspaceId }: Tenant, at: number, limit = 10) {
      storeClock.now = at;
      const claims: ClaimedDelivery[] = [];
      for (const lane of await store.webhooks.dueLanes()) {
        if (lane.workspaceId === workspaceId) claims.push(...(await store.webhooks.claim(lane, limit, 60_000)));
      }
      return claims;
    }

    /** A message of a kind of its own, to be sent at once. */
    function message({ id, workspaceId }: Webhook, name: string, at = now): Delivery {
      const sent = { status: "pending", tries: 0, createdAt: at, dueAt: at } as const;
      const never = { lastTryAt: null, lastStatus: null, lastError: null, finishedAt: null };
      const payload = `{"name":"${name}"}`;
      return { target: id, messageId: name, workspaceId, type: "webhook.test", payload, ...sent, ...never };
    }

    it("keeps endpoints by workspace, so many at most", async () => {
      const { store } = db;
      const { webhook, workspaceId } = await hooked(store);
      const other = await createTenant(store);
      expect(await store.webhooks.list(workspaceId)).toEqual([webhook]);
      expect(await store.webhooks.get(other.workspaceId, webhook.id)).toBeUndefined();
      expect(await store.webhooks.create(makeWebhook(workspaceId), 1, event)).toBe(false);
      const change = { description: "new", events: ["job.failed"] as const, updatedAt: now };
      const update = makeEvent({ action: "webhook.update" });
      expect(await store.webhooks.update(other.workspaceId, webhook.id, change, update)).toBeUndefined();
      const changed = { ...webhook, ...change };
      expect(await store.webhooks.update(workspaceId, webhook.id, change, update)).toEqual(changed);
      expect(await store.webhooks.get(workspaceId, webhook.id)).toEqual(changed);
      const gone = makeEvent({ action: "webhook.delete" });
      expect(await store.webhooks.delete(other.workspaceId, webhook.id, gone)).toBe(false);
      expect(await store.webhooks.delete(workspaceId, webhook.id, gone)).toBe(true);
      expect(await store.webhooks.list(workspaceId)).toEqual([]);
    });

    it("replaces secrets that are still those that were read", async () => {
      const { store } = db;
      const { webhook, workspaceId } = await hooked(store);
      const next = { secret: "whsec_BBBB", previousSecret: secrets.secret, previousUntil: now };
      const target = { workspaceId, target: webhook.id };
      const rotate = () => makeEvent({ action: "webhook.rotate" });
      expect(await store.webhooks.replaceSecrets(target, { read: secrets, secrets: next }, rotate())).toBe(true);
      expect(await store.webhooks.replaceSecrets(target, { read: secrets, secrets: next }, rotate())).toBe(false);
      expect((await store.webhooks.get(workspaceId, webhook.id))?.secrets).toEqual(next);
      expect(await store.webhooks.callbackSecrets(workspaceId, secrets)).toEqual(secrets);
      expect(await store.webhooks.callbackSecrets(workspaceId, next)).toEqual(secrets);
      const callbacks = { workspaceId, target: "callbacks" } as const;
      expect(await store.webhooks.replaceSecrets(callbacks, { read: secrets, secrets: next }, rotate())).toBe(true);
      expect(await store.webhooks.callbackSecrets(workspaceId, secrets)).toEqual(next);
    });

    it("tells of every end of a job, once for each run", async () => {
      const { store } = db;
      const tenant = await hooked(store);
      const { workspaceId, webhook } = tenant;
      const { dataset, job } = await createDataset(store, workspaceId);
      const first = await claimed(store);
      await store.jobs.postpone(first.lease, { statusText: "", afterMs: 0, isTry: true }, now);
      expect(await told(store, webhook)).toEqual([]);
      const second = await claimed(store, now + 1);
      expect(await store.jobs.finish(second.lease, { status: "ERROR", statusText: "no" }, now + 1)).toBe(true);
      expect(await store.jobs.finish(second.lease, { status: "ERROR", statusText: "no" }, now + 2)).toBe(false);
      expect(await store.jobs.retry(workspaceId, job.id, now + 3)).toMatchObject({ id: job.id });
      const third = await claimed(store, now + 4);
      expect(await store.jobs.finish(third.lease, { status: "SUCCESS", statusText: "" }, now + 5)).toBe(true);
      const { total, data } = await list(store, webhook);
      expect(total).toBe(2);
      expect(data.map(({ messageId, type }) => [messageId, type])).toEqual([
        [`${job.id}-1`, "job.finished"],
        [`${job.id}-0`, "job.failed"],
      ]);
      expect(JSON.parse(data[0]?.payload ?? "")).toEqual({
        type: "job.finished",
        timestamp: new Date(now + 5).toISOString(),
        data: { workspaceId, datasetId: dataset.id, jobId: job.id, jobType: "datasets/extract", canceled: false },
      });
      expect(data[0]).toMatchObject({ status: "pending", tries: 0, createdAt: now + 5, dueAt: now + 5 });
    });

    it("tells of cancelled jobs, and of the datasets that go with them", async () => {
      const { store } = db;
      const { workspaceId, webhook } = await hooked(store);
      const { dataset, job } = await createDataset(store, workspaceId);
      await store.jobs.cancel(workspaceId, job.id, cancelled(), now);
      const { data } = await list(store, webhook);
      const types = data.map(({ type }) => type).toSorted();
      expect(types).toEqual(["dataset.deleted", "job.failed"]);
      const failed = data.find(({ type }) => type === "job.failed");
      expect(JSON.parse(failed?.payload ?? "")).toMatchObject({ data: { jobId: job.id, canceled: true } });
      const deleted = data.find(({ type }) => type === "dataset.deleted");
      expect(JSON.parse(deleted?.payload ?? "")).toEqual({
        type: "dataset.deleted",
        timestamp: new Date(now).toISOString(),
        data: { workspaceId, datasetId: dataset.id },
      });
    });

    it("tells of datasets that are deleted or expire, with the ends of their jobs", async () => {
      const { store } = db;
      const { workspaceId, webhook } = await hooked(store, { events: ["dataset.deleted", "job.failed"] });
      const one = await createDataset(store, workspaceId);
      const two = await createDataset(store, workspaceId, { expiresAt: now });
      await store.datasets.delete(workspaceId, one.dataset.id, now, makeEvent());
      expect(await store.datasets.deleteExpired(now, 10)).toBeGreaterThan(0);
      const messages = (await told(store, webhook)).map(({ messageId }) => messageId);
      expect(messages.toSorted()).toEqual(
        [
          `${one.dataset.id}-deleted-${now}`,
          `${two.dataset.id}-deleted-${now}`,
          `${one.job.id}-0`,
          `${two.job.id}-0`,
        ].toSorted(),
      );
    });

    it("tells nobody who has not asked: other events, other workspaces, disabled endpoints", async () => {
      const { store } = db;
      const { workspaceId, webhook } = await hooked(store, { events: ["dataset.expiring"] });
      const disabled = makeWebhook(workspaceId, { disabledAt: now, disabledReason: "by hand" });
      await store.webhooks.create(disabled, 20, makeEvent({ action: "webhook.create" }));
      const other = await hooked(store);
      const { job } = await createDataset(store, workspaceId);
      await store.jobs.cancel(workspaceId, job.id, cancelled(), now);
      for (const unasked of [webhook, disabled, other.webhook]) expect(await told(store, unasked)).toEqual([]);
    });

    it("tells the address that a job names, under the same id", async () => {
      const { store } = db;
      const tenant = await hooked(store, { events: ["job.failed"] });
      const { workspaceId, webhook } = tenant;
      const dataset = makeDataset(workspaceId);
      const job = makeJob(dataset, "datasets/extract", { callbackUrl: "https://example.org:8443/done?job=1" });
      await store.webhooks.callbackSecrets(workspaceId, secrets);
      await store.datasets.create(dataset, job);
      expect(await store.jobs.get(workspaceId, job.id)).toEqual(job);
      await store.jobs.cancel(workspaceId, job.id, cancelled(), now);
      const callbacks = { workspaceId, target: "callbacks", statuses: [], offset: 0, limit: 10 } as const;
      const [called] = (await store.webhooks.deliveries(callbacks)).data;
      const [hook] = (await list(store, webhook)).data;
      expect([called?.messageId, called?.payload]).toEqual([hook?.messageId, hook?.payload]);
      const lanes = async () => (await store.webhooks.dueLanes()).filter((lane) => lane.workspaceId === workspaceId);
      storeClock.now = now;
      expect((await lanes()).map(({ name }) => name).toSorted()).toEqual([
        `${workspaceId}/https://example.org:8443`,
        `${workspaceId}/${webhook.id}`,
      ]);
      const claims = await claimDue(store, tenant, now);
      const destinations = claims.map(({ destination }) => destination?.url);
      expect(new Set(destinations)).toEqual(
        new Set(["https://example.org/hook", "https://example.org:8443/done?job=1"]),
      );
    });

    it("announces what expires once for each endpoint, while there is time", async () => {
      const { store } = db;
      const { workspaceId, webhook } = await hooked(store, { events: ["dataset.expiring"] });
      const soon = await createDataset(store, workspaceId, { expiresAt: now + 500 });
      await createDataset(store, workspaceId, { expiresAt: now + 1_001 });
      await createDataset(store, workspaceId, { expiresAt: now });
      await createDataset(store, workspaceId);
      const until = now + 1_000;
      expect(await store.webhooks.enterExpiring({ now, until }, 10)).toBe(1);
      expect(await store.webhooks.enterExpiring({ now: now + 1, until }, 10)).toBe(0);
      const [expiring] = (await list(store, webhook)).data;
      expect(expiring?.messageId).toBe(`${soon.dataset.id}-expiring-${now + 500}`);
      expect(JSON.parse(expiring?.payload ?? "")).toEqual({
        type: "dataset.expiring",
        timestamp: new Date(now).toISOString(),
        data: { workspaceId, datasetId: soon.dataset.id, expiresAt: now + 500 },
      });
      const later = makeWebhook(workspaceId, { events: ["dataset.expiring"] });
      await store.webhooks.create(later, 20, makeEvent({ action: "webhook.create" }));
      expect(await store.webhooks.enterExpiring({ now, until: now + 2_000 }, 1)).toBe(1);
      expect(await store.webhooks.enterExpiring({ now, until: now + 2_000 }, 10)).toBe(2);
      expect(await told(store, later)).toHaveLength(2);
    });

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
