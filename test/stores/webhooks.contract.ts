import { describe, expect, it } from "vitest";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
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
} from "./testing/records.ts";
import { claimDue, deliveriesOf, hooked, makeWebhook, secrets, told } from "./testing/webhooks.ts";

/** Endpoints, and what enters the outbox. */
export function webhooksContract(open: OpenMetadataFixture): void {
  describe("webhooks", () => {
    const db = useMetadata(open);
    const now = morning + 1_000;
    const event = makeEvent({ action: "webhook.create" });

    /** Claims the tenant's job, which is the only one. */
    async function claimed(store: Metadata, at = now) {
      const found = await claimAt(store, "worker", at);
      if (found === undefined) throw new Error("there is no job to claim");
      return found;
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
      const { total, data } = await deliveriesOf(store, webhook);
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
      const { data } = await deliveriesOf(store, webhook);
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
      const [hook] = (await deliveriesOf(store, webhook)).data;
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
      const [expiring] = (await deliveriesOf(store, webhook)).data;
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
  });
}
