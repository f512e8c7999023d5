import { createDrs, type Drs } from "@drs/client";
import { Webhook } from "standardwebhooks";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCaptured } from "../../cli/testing/run-captured.ts";
import type { SettingSources } from "../../server/settings/settings.ts";
import { openRows } from "../../server/storage/metadata/open-rows.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { type Receiver, startReceiver } from "../fixtures/webhook-receiver.ts";
import { sharedStores } from "../service/shared-stores.ts";
import { startServer, type TestServer } from "../service/start.ts";

const onePage = makePdf({ pages: [{ text: "a page" }] });
const soon = { timeout: 30_000 };

let dataDir: string;
let server: TestServer | undefined;
const receivers: Receiver[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-webhooks-"));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  for (const { close } of receivers.splice(0)) await close();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(flags: SettingSources["flags"] = {}): Promise<Drs> {
  server = await startServer({ dataDir, urlAllow: "127.0.0.1", webhookTimeoutMs: "1000", ...flags });
  return createDrs({ server: server.url, apiKey: server.credentials.apiKey });
}

async function receiver(port?: number): Promise<Receiver> {
  const started = await startReceiver(port);
  receivers.push(started);
  return started;
}

/** Uploads a page and waits for its job. */
async function finishJob(
  drs: Drs,
  options: { readonly callbackUrl?: string } = {},
): Promise<{ readonly id: string; readonly datasetId: string }> {
  const job = await drs.datasets.upload(onePage, { fileName: "a.pdf", ...options });
  expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
  return job;
}

describe("webhooks of a whole service", { timeout: 120_000 }, () => {
  test("a receiver that is down gets the message when it is up again", async () => {
    const drs = await start();
    const { url, close } = await receiver();
    const { id, secret } = await drs.webhooks.create({ url, events: ["job.finished"] });
    await close();
    receivers.pop();
    const job = await finishJob(drs);
    const messageId = `${job.id}-0`;
    await expect.poll(async () => (await drs.webhooks.delivery(id, messageId)).tries, soon).toBe(1);
    const failed = await drs.webhooks.delivery(id, messageId);
    expect(failed).toMatchObject({ status: "pending", lastStatus: null, lastError: expect.stringMatching(/refused/) });
    expect((await drs.webhooks.get(id)).failingSince).toBe(failed.lastTryAt);
    const { messages } = await receiver(Number(new URL(url).port));
    await expect.poll(() => messages.length, soon).toBe(1);
    const [{ body, headers }] = messages as [Receiver["messages"][number]];
    expect(headers["webhook-id"]).toBe(messageId);
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ data: { jobId: job.id } });
    await expect.poll(async () => (await drs.webhooks.delivery(id, messageId)).status, soon).toBe("delivered");
    expect((await drs.webhooks.get(id)).failingSince).toBeNull();
  });

  test("one that never answers, or answers 500, delays no other", async () => {
    const drs = await start();
    const [silent, failing, well] = [await receiver(), await receiver(), await receiver()];
    silent.answerWith(() => undefined);
    failing.answerWith((response) => response.writeHead(500).end("no".repeat(100_000)));
    const made = [];
    for (const { url } of [silent, failing, well]) {
      made.push(await drs.webhooks.create({ url, events: ["job.finished"] }));
    }
    // More than are sent to one address at a time.
    const jobs = await Promise.all(Array.from({ length: 6 }, () => finishJob(drs)));
    const ids = new Set(jobs.map(({ id }) => `${id}-0`));
    const idsAt = ({ messages }: Receiver) => new Set(messages.map(({ headers }) => String(headers["webhook-id"])));
    await expect.poll(() => idsAt(well), soon).toEqual(ids);
    await expect.poll(() => idsAt(silent), soon).toEqual(ids);
    const [silentId = "", failingId = ""] = made.map(({ id }) => id);
    await expect
      .poll(async () => (await drs.webhooks.deliveriesPage(silentId)).data.every(({ tries }) => tries > 0), soon)
      .toBe(true);
    const { data } = await drs.webhooks.deliveriesPage(silentId);
    expect(new Set(data.map(({ lastError }) => lastError))).toEqual(
      new Set([`${new URL(silent.url).host} did not answer within 1 seconds`]),
    );
    const refused = (await drs.webhooks.deliveriesPage(failingId)).data;
    expect(new Set(refused.map(({ lastStatus, lastError }) => `${lastStatus} ${lastError}`))).toEqual(
      new Set(["500 it answered 500"]),
    );
  });

  test("one that answers 410 is disabled, which the audit log tells, until it is enabled", async () => {
    const drs = await start();
    const gone = await receiver();
    gone.answerWith((response) => response.writeHead(410).end());
    const { id } = await drs.webhooks.create({ url: gone.url });
    const { messageId } = await drs.webhooks.test(id);
    await expect.poll(async () => (await drs.webhooks.get(id)).disabledAt, soon).not.toBeNull();
    expect(await drs.webhooks.delivery(id, messageId)).toMatchObject({ status: "failed", lastStatus: 410 });
    await expect(drs.webhooks.redeliver(id, messageId)).rejects.toMatchObject({ code: "already_exists" });
    const [event] = await Array.fromAsync(drs.audit.list({ action: "webhook.disable" }));
    expect(event).toMatchObject({ actor: "service", target: id, details: expect.stringMatching(/410/) });
    await finishJob(drs);
    expect((await drs.webhooks.deliveriesPage(id)).total).toBe(1);
    gone.answerWith((response) => response.writeHead(200).end());
    expect(await drs.webhooks.update(id, { enabled: true })).toMatchObject({ disabledAt: null });
    await drs.webhooks.redeliver(id, messageId);
    await expect.poll(async () => (await drs.webhooks.delivery(id, messageId)).status, soon).toBe("delivered");
  });

  test("one that accepts nothing for five days is disabled, and told what was left once it is enabled", async () => {
    const drs = await start();
    const failing = await receiver();
    failing.answerWith((response) => response.writeHead(500).end());
    const { id } = await drs.webhooks.create({ url: failing.url });
    const messageIds = [await drs.webhooks.test(id), await drs.webhooks.test(id)].map(({ messageId }) => messageId);
    const deliveries = () => Promise.all(messageIds.map((messageId) => drs.webhooks.delivery(id, messageId)));
    const tries = async () => (await deliveries()).map((one) => one.tries);
    await expect.poll(tries, soon).toEqual([1, 1]);
    const hourMs = 3_600_000;
    /** As if it had been failing for so long, and all messages were due again, or the first alone. */
    const letPass = async (hours: number, due: readonly string[]): Promise<void> => {
      const { db, close } = await openRows({ url: (await sharedStores(dataDir))?.databaseUrl, dataDir });
      try {
        const failingSince = Date.now() - hours * hourMs;
        await db.updateTable("webhooks").set({ failingSince }).where("url", "=", failing.url).execute();
        const deliver = db.updateTable("webhookDeliveries").set({ dueAt: Date.now() });
        await deliver.where("messageId", "in", due).execute();
      } finally {
        await close();
      }
    };
    await letPass(119, messageIds);
    await expect.poll(tries, soon).toEqual([2, 2]);
    expect(await drs.webhooks.get(id)).toMatchObject({ disabledAt: null });

    await letPass(120, messageIds.slice(0, 1));
    await expect.poll(async () => (await drs.webhooks.get(id)).disabledAt, soon).not.toBeNull();
    expect(await tries()).toEqual([3, 2]);
    // What is left fails when it is due, and is not sent.
    await letPass(120, messageIds);
    const statuses = async () => (await deliveries()).map(({ status }) => status);
    await expect.poll(statuses, soon).toEqual(["failed", "failed"]);
    expect(await tries()).toEqual([3, 2]);
    expect((await deliveries()).map(({ lastError }) => lastError)).toEqual(
      Array(2).fill("the webhook is disabled or deleted"),
    );
    const reason = /it has accepted nothing since \d{4}-\d\d-\d\dT/;
    const [event] = await Array.fromAsync(drs.audit.list({ action: "webhook.disable" }));
    expect(event).toMatchObject({ actor: "service", target: id, details: expect.stringMatching(reason) });
    const env = { DRS_SERVER: server?.url, DRS_API_KEY: server?.credentials.apiKey };
    expect((await runCaptured(["webhooks", "list"], env)).stdout).toMatch(new RegExp(`disabled: ${reason.source}`));
    await finishJob(drs);
    expect((await drs.webhooks.deliveriesPage(id)).total).toBe(2);

    failing.answerWith((response) => response.writeHead(204).end());
    expect((await runCaptured(["webhooks", "enable", id], env)).code).toBe(0);
    expect(await drs.webhooks.get(id)).toMatchObject({ disabledAt: null, disabledReason: null, failingSince: null });
    for (const messageId of messageIds) await drs.webhooks.redeliver(id, messageId);
    await expect.poll(statuses, soon).toEqual(["delivered", "delivered"]);
    const received = failing.messages.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(received)).toEqual(new Set(messageIds));
  });

  test("a redirect is not followed", async () => {
    const drs = await start();
    const [first, second] = [await receiver(), await receiver()];
    first.answerWith((response) => response.writeHead(308, { location: second.url }).end());
    const { id } = await drs.webhooks.create({ url: first.url });
    const { messageId } = await drs.webhooks.test(id);
    await expect.poll(async () => (await drs.webhooks.delivery(id, messageId)).lastStatus, soon).toBe(308);
    expect([first.messages.length, second.messages]).toEqual([1, []]);
  });

  test("an address that is private by now is sent nothing", async () => {
    const first = await start();
    const hidden = await receiver();
    const { id } = await first.webhooks.create({ url: hidden.url });
    const called = await receiver();
    await server?.close();
    const second = await start({ urlAllow: "" });
    const { messageId } = await second.webhooks.test(id);
    await finishJob(second);
    await expect(finishJob(second, { callbackUrl: called.url })).rejects.toThrow(/callbackUrl.*not a public address/);
    await expect.poll(async () => (await second.webhooks.deliveriesPage(id)).total, soon).toBe(2);
    await expect
      .poll(async () => (await second.webhooks.deliveriesPage(id)).data.every(({ tries }) => tries > 0), soon)
      .toBe(true);
    expect((await second.webhooks.delivery(id, messageId)).lastError).toMatch(/127\.0\.0\.1 is not a public address/);
    expect([...hidden.messages, ...called.messages]).toEqual([]);
  });

  test("what expires soon is announced once, and told of when it is gone", async () => {
    const drs = await start();
    const { url, messages } = await receiver();
    const { id } = await drs.webhooks.create({ url, events: ["dataset.expiring", "dataset.deleted"] });
    const expiresInDays = 8 / 86_400;
    const { datasetId } = await drs.datasets.upload(onePage, { fileName: "a.pdf", expiresInDays });
    const types = () => messages.map(({ body }) => [JSON.parse(body).type, JSON.parse(body).data.datasetId]);
    await expect.poll(types, { timeout: 60_000 }).toContainEqual(["dataset.deleted", datasetId]);
    const announced = types().filter(([type]) => type === "dataset.expiring");
    // It is looked for every half minute: what lives for less may go unannounced.
    expect(announced.length).toBeLessThanOrEqual(1);
    const { datasetId: later } = await drs.datasets.upload(onePage, { fileName: "b.pdf", expiresInDays: 0.5 });
    await expect.poll(types, { timeout: 60_000 }).toContainEqual(["dataset.expiring", later]);
    const { data } = await drs.webhooks.deliveriesPage(id);
    expect(data.filter(({ payload }) => payload.includes(later))).toHaveLength(1);
  });

  test("secrets are sealed under the keys of the settings, and open with them alone", async () => {
    const key = "a key of more than thirty-two characters";
    const drs = await start({ webhookKeys: key });
    const { url, messages } = await receiver();
    const { id, secret } = await drs.webhooks.create({ url });
    expect(await drs.webhooks.secret(id)).toEqual({ secret, previousUntil: null });
    await server?.close();
    const other = await start({ webhookKeys: "another key of more than thirty-two characters" });
    await expect(other.webhooks.secret(id)).rejects.toThrow(/DRS_WEBHOOK_KEYS/);
    const { messageId } = await other.webhooks.test(id);
    await expect
      .poll(async () => (await other.webhooks.delivery(id, messageId)).lastError, soon)
      .toMatch(/DRS_WEBHOOK_KEYS/);
    expect(messages).toEqual([]);
    await server?.close();
    const both = await start({ webhookKeys: `another key of more than thirty-two characters,${key}` });
    await both.webhooks.redeliver(id, messageId);
    await expect.poll(() => messages.length, soon).toBe(1);
    const [{ body, headers }] = messages as [Receiver["messages"][number]];
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: "webhook.test" });
  });
});
