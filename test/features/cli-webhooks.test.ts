import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Captured, runCaptured } from "../../cli/testing/run-captured.ts";
import { type Receiver, startReceiver } from "../fixtures/webhook-receiver.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
let receiver: Receiver;
beforeAll(async () => {
  server = await startServer({ urlAllow: "127.0.0.1" });
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await server.remove();
});

const drs = (...words: string[]): Promise<Captured> =>
  runCaptured(["webhooks", ...words], { DRS_SERVER: server.url, DRS_API_KEY: server.credentials.apiKey });

/** Returns the JSON output of a command that must succeed. */
async function json(...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await drs(...words, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return Object(JSON.parse(stdout));
}

test("a webhook from its making to its end", async () => {
  const added = await drs("add", receiver.url, "--events", "job.finished", "--description", "mine");
  expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_[\w+/]{43}=\n$/) });
  const id = /wh_\w{26}/.exec(added.stderr)?.[0] ?? "";
  expect(added.stderr).toContain(`webhook ${id} is notified of job.finished`);
  const listed = await drs("list");
  for (const shown of [id, receiver.url, "job.finished", "mine"]) expect(listed.stdout).toContain(shown);

  const tested = await drs("test", id);
  expect(tested).toMatchObject({ code: 0, stdout: expect.stringMatching(/^test-\w+ was accepted with 204\n$/) });
  const [message] = receiver.messages;
  expect(new Webhook(added.stdout.trim()).verify(message?.body ?? "", message?.headers ?? {})).toMatchObject({
    type: "webhook.test",
    data: { webhookId: id },
  });
  const messageId = tested.stdout.split(" ")[0] ?? "";
  expect((await drs("deliveries", id)).stdout).toMatch(new RegExp(`${messageId} +webhook.test +delivered +1 `));
  expect((await drs("deliveries", id, "--status", "failed")).stderr).toContain("no messages");
  receiver.answerWith((response) => response.writeHead(500).end());
  expect(await drs("redeliver", id, messageId)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/has not been accepted: it answered 500; it is tried again at /),
  });
  expect((await drs("list")).stdout).toContain("failing since");
  receiver.answerWith((response) => response.writeHead(200).end());
  expect(await drs("redeliver", id, messageId)).toMatchObject({ code: 0 });

  expect(await drs("disable", receiver.url)).toMatchObject({ code: 0, stdout: `${id} is disabled\n` });
  expect(await drs("test", id)).toMatchObject({ code: 1, stderr: expect.stringMatching(/is disabled.*enable it/) });
  expect(await drs("enable", id)).toMatchObject({ code: 0, stdout: `${id} is enabled\n` });
  expect(await json("update", id, "--events", "job.failed")).toMatchObject({ id, events: ["job.failed"] });
  expect(await drs("secret", id)).toMatchObject({ code: 0, stdout: added.stdout });
  const rotated = await drs("secret", id, "--rotate", "--overlap-hours", "1");
  expect(rotated).toMatchObject({ code: 0, stderr: expect.stringMatching(/the previous secret signs as well until/) });
  expect(rotated.stdout).not.toBe(added.stdout);
  expect(await drs("remove", id, "--yes")).toMatchObject({ code: 0, stdout: `${id} is deleted\n` });
  expect((await drs("list")).stderr).toContain("no webhooks");
  expect(await drs("deliveries", id)).toMatchObject({ code: 1, stderr: expect.stringMatching(/there is no webhook/) });
});

test("what cannot be meant is refused before anything is sent, and a private address by the service", async () => {
  expect(await drs("add", receiver.url, "--events", "job.done")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/"job\.done" is not one of job\.finished, job\.failed/),
  });
  expect(await drs("secret", "callbacks", "--overlap-hours", "721")).toMatchObject({ code: 2 });
  expect(await drs("add", "http://10.0.0.1/")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/url: 10\.0\.0\.1 is not a public address/),
  });
  expect(await json("secret", "callbacks")).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
});
