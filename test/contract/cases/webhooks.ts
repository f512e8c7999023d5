import type { JsonObject } from "@bufbuild/protobuf";
import { afterEach, describe, expect, test } from "vitest";
import { Webhook } from "standardwebhooks";
import { type Receiver, startReceiver } from "../../fixtures/webhook-receiver.ts";
import { bodyOf, listAt, objectAt, refusalOf, time } from "../answers.ts";
import type { Scene } from "../scene.ts";
import { onePage } from "../world.ts";

const unknownWebhook = "wh_01jzzzzzzzzzzzzzzzzzzzzzzz";

export function webhooksCases(scene: Scene): void {
  const { refused } = scene;
  const ask = async (...call: Parameters<Scene["api"]["call"]>): Promise<JsonObject> =>
    bodyOf(await scene.api.call(...call));
  const receivers: Receiver[] = [];
  const made: string[] = [];
  const receiver = async (): Promise<Receiver> => {
    const started = await startReceiver();
    receivers.push(started);
    return started;
  };
  const create = async (request: JsonObject): Promise<JsonObject> => {
    const webhook = objectAt(await ask("createWebhook", request), "webhook");
    made.push(String(webhook["id"]));
    return webhook;
  };
  afterEach(async () => {
    for (const id of made.splice(0)) await scene.api.call("deleteWebhook", { id });
    for (const { close } of receivers.splice(0)) await close();
  });
  const delivered = async (id: unknown, messageId: unknown): Promise<JsonObject> => {
    const delivery = async () =>
      objectAt(await ask("getDelivery", { id: String(id), messageId: String(messageId) }), "delivery");
    await expect.poll(async () => (await delivery())["tries"], { timeout: 20_000 }).toBeGreaterThan(0);
    return delivery();
  };

  describe("webhooks", () => {
    test("are created with a secret that is shown, listed, changed and deleted", async () => {
      const webhook = await create({ url: "https://example.org/hook#part", description: "mine" });
      const { secret, ...shown } = webhook;
      expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
      expect(shown).toMatchObject({
        id: expect.stringMatching(/^wh_/),
        workspaceId: scene.world.workspaceId,
        url: "https://example.org/hook",
        events: ["job.finished", "job.failed", "dataset.deleted", "dataset.expiring"],
        description: "mine",
        createdAt: time,
      });
      const id = String(shown["id"]);
      expect(listAt(await ask("listWebhooks", {}), "data")).toEqual([shown]);
      expect(objectAt(await ask("getWebhook", { id }), "webhook")).toEqual(shown);
      const changed = objectAt(await ask("updateWebhook", { id, events: ["job.failed"], enabled: false }), "webhook");
      const state = { events: ["job.failed"], disabledAt: time, disabledReason: "it was disabled by hand" };
      expect(changed).toMatchObject({ ...state, url: shown["url"], description: "mine" });
      await refused("testWebhook", { id }, "ALREADY_EXISTS", /is disabled.*enable it/);
      const enabled = objectAt(await ask("updateWebhook", { id, enabled: true }), "webhook");
      expect([enabled["disabledAt"] ?? null, enabled["disabledReason"] ?? null]).toEqual([null, null]);
      await ask("deleteWebhook", { id });
      await refused("getWebhook", { id }, "NOT_FOUND", /there is no webhook/);
    });

    test.each([
      ["http://10.0.0.1/", /url: 10\.0\.0\.1 is not a public address/],
      ["http://[::1]:9000/", /not a public address/],
      ["ftp://example.org/", /only http and https/],
      ["https://user:secret@example.org/", /^(?!.*secret).*user name or password/],
      ["example.org", /not a URL/],
    ])("nothing is told to %s", (url, message) => refused("createWebhook", { url }, "INVALID_ARGUMENT", message));

    test("an upload that names such an address is refused, and leaves nothing", async () => {
      const before = listAt(await ask("listDatasets", { limit: 100 }), "data").length;
      const settings = { fileName: "a.pdf", callbackUrl: "http://192.168.0.1/" };
      const refusal = refusalOf(await scene.api.upload("extract", { file: onePage, ...settings }));
      expect(refusal).toMatchObject({
        code: "INVALID_ARGUMENT",
        message: expect.stringMatching(/^callbackUrl: .*public/),
      });
      const session = { fileName: "a.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
      await refused("startUpload", { ...session, callbackUrl: "http://[::1]/" }, "INVALID_ARGUMENT", /callbackUrl/);
      const vectorized = { id: scene.world.plain, callbackUrl: "http://127.1.2.3/" };
      await refused("vectorizeDataset", vectorized, "INVALID_ARGUMENT", /callbackUrl/);
      expect(listAt(await ask("listDatasets", { limit: 100 }), "data")).toHaveLength(before);
    });

    test("get what they ask for, signed; a message comes again under its id when it is asked for", async () => {
      const { url, messages } = await receiver();
      const webhook = await create({ url, events: ["job.finished"] });
      const job = await scene.uploaded("extract");
      await scene.finished(job);
      await expect.poll(() => messages.length, { timeout: 20_000 }).toBe(1);
      const [message] = messages;
      if (message === undefined) throw new Error("no message");
      const verify = (secret: unknown) => new Webhook(String(secret)).verify(message.body, message.headers);
      expect(verify(webhook["secret"])).toEqual({
        type: "job.finished",
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        data: {
          workspaceId: scene.world.workspaceId,
          datasetId: job["datasetId"],
          jobId: job["id"],
          jobType: "datasets/extract",
          canceled: false,
        },
      });
      const id = String(webhook["id"]);
      const messageId = `${String(job["id"])}-0`;
      expect(message.headers["webhook-id"]).toBe(messageId);
      await expect
        .poll(async () => objectAt(await ask("getDelivery", { id, messageId }), "delivery")["status"])
        .toBe("delivered");
      await ask("redeliverDelivery", { id, messageId });
      await expect.poll(() => messages.length, { timeout: 20_000 }).toBe(2);
      expect([messages[1]?.headers["webhook-id"], messages[1]?.body]).toEqual([messageId, message.body]);
      const listed = await ask("listDeliveries", { id });
      expect(listed["total"]).toBe(1);
      expect(listAt(listed, "data")).toMatchObject([{ messageId, type: "job.finished", payload: message.body }]);
      expect(listAt(await ask("listDeliveries", { id, status: ["failed"] }), "data")).toEqual([]);
      await refused("redeliverDelivery", { id, messageId: "nothing" }, "NOT_FOUND", /"nothing"/);
      await ask("deleteDataset", { id: String(job["datasetId"]) });
    });

    test("a callback is signed with the secret of the workspace's callbacks, of which both count after a rotation", async () => {
      const { url, messages } = await receiver();
      const callbacks = { id: "callbacks" };
      const { secret: before } = objectAt(await ask("getWebhookSecret", callbacks), "secret");
      const rotated = objectAt(await ask("rotateWebhookSecret", { ...callbacks, overlapHours: 1 }), "secret");
      expect(rotated).toEqual({ secret: expect.stringMatching(/^whsec_/), previousUntil: time });
      expect(rotated["secret"]).not.toBe(before);
      const job = await scene.uploaded("extract", { file: onePage, fileName: "called.pdf", callbackUrl: url });
      await scene.finished(job);
      await expect.poll(() => messages.length, { timeout: 20_000 }).toBe(1);
      const [{ body, headers }] = messages as [Receiver["messages"][number]];
      for (const secret of [before, rotated["secret"]]) {
        expect(new Webhook(String(secret)).verify(body, headers)).toMatchObject({ data: { jobId: job["id"] } });
      }
      const listed = listAt(await ask("listDeliveries", callbacks), "data");
      expect(listed).toContainEqual(expect.objectContaining({ messageId: `${String(job["id"])}-0` }));
      await ask("deleteDataset", { id: String(job["datasetId"]) });
    });

    test("uploads in parts and the vectorizing of a dataset have callbacks too", async () => {
      const { url, messages } = await receiver();
      const session = { fileName: "a.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
      const key = String(objectAt(await ask("startUpload", { ...session, callbackUrl: url }), "upload")["key"]);
      bodyOf(await scene.api.appendPart({ file: onePage, key, partNumber: 1 }));
      const uploaded = objectAt(await ask("endUpload", { key }), "job");
      await scene.finished(uploaded);
      const id = String(uploaded["datasetId"]);
      const vectorized = objectAt(await ask("vectorizeDataset", { id, callbackUrl: url }), "job");
      await scene.finished(vectorized);
      const told = () => new Set(messages.map(({ headers }) => headers["webhook-id"]));
      const ids = [uploaded, vectorized].map((job) => `${String(job["id"])}-0`);
      await expect.poll(told, { timeout: 20_000 }).toEqual(new Set(ids));
      await ask("deleteDataset", { id });
    });

    test("a test says what the receiver answers", async () => {
      const { url, answerWith } = await receiver();
      const { id } = await create({ url });
      const test = async () => objectAt(await ask("testWebhook", { id: String(id) }), "delivery");
      const accepted = await test();
      expect(accepted).toMatchObject({ type: "webhook.test", status: "pending" });
      expect(await delivered(id, accepted["messageId"])).toMatchObject({ status: "delivered", lastStatus: 204 });
      answerWith((response) => response.writeHead(307, { location: `${url}/elsewhere` }).end());
      const { messageId } = await test();
      expect(await delivered(id, messageId)).toMatchObject({
        status: "pending",
        lastStatus: 307,
        lastError: expect.stringMatching(/307; redirects are not followed/),
        nextTryAt: time,
      });
    });

    test("unknown ones are not found, whatever is asked of them", async () => {
      const id = unknownWebhook;
      for (const method of [
        "getWebhook",
        "deleteWebhook",
        "getWebhookSecret",
        "testWebhook",
        "listDeliveries",
      ] as const) {
        await refused(method, { id }, "NOT_FOUND", /there is no webhook "wh_01jzz/);
      }
      await refused("updateWebhook", { id, enabled: false }, "NOT_FOUND", /there is no webhook/);
    });
  });
}
