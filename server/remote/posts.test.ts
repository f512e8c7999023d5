import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Receiver, startReceiver } from "../../test/fixtures/webhook-receiver.ts";
import { createAllowedAddresses } from "./allowed-addresses.ts";
import { createPosts, retryAfterMs } from "./posts.ts";

const posts = createPosts(createAllowedAddresses(["127.0.0.1"]));
const message = { headers: { "content-type": "application/json", "webhook-id": "one" }, body: `{"é":1}` };
const never = new AbortController().signal;

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

describe("posts", () => {
  test("send the message unchanged, and nothing that identifies the caller", async () => {
    expect(await posts.post(receiver.url, message, 5_000, never)).toEqual({ status: 204, retryAfterMs: undefined });
    const [received] = receiver.messages;
    expect(received?.body).toBe(message.body);
    expect(received?.headers).toEqual({
      ...message.headers,
      "content-length": "8",
      "user-agent": "drs",
      host: new URL(receiver.url).host,
      connection: "close",
    });
  });

  test.each([200, 301, 302, 307, 410, 429, 500])("do not follow redirects, whatever the status: %d", async (status) => {
    receiver.answerWith((response) => response.writeHead(status, { location: "/other", "retry-after": "7" }).end());
    expect(await posts.post(receiver.url, message, 5_000, never)).toEqual({ status, retryAfterMs: 7_000 });
    expect(receiver.messages.map(({ path }) => path)).toEqual(["/hook"]);
  });

  test("read nothing of a body that never ends", async () => {
    let sent = 0;
    receiver.answerWith(async (response) => {
      response.writeHead(200);
      for (; !response.destroyed && sent < 2 ** 26; sent += 2 ** 16) {
        response.write(Buffer.alloc(2 ** 16));
        await sleep(1);
      }
    });
    expect(await posts.post(receiver.url, message, 5_000, never)).toMatchObject({ status: 200 });
    expect(sent).toBeLessThan(2 ** 26);
  });

  test("end when the receiver is silent for too long, or the caller aborts", async () => {
    receiver.answerWith(() => undefined);
    await expect(posts.post(receiver.url, message, 100, never)).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(/did not answer within 0\.1 seconds/),
    });
    const stop = new AbortController();
    const posting = posts.post(receiver.url, message, 60_000, stop.signal);
    await expect.poll(() => receiver.messages.length).toBe(2);
    stop.abort(new Error("enough"));
    await expect(posting).rejects.toThrow("enough");
  });

  test("send nothing to a name that resolves to this machine by now", async () => {
    let address = "127.0.0.1";
    const resolve = async () => [{ address, family: 4 }];
    const { port } = new URL(receiver.url);
    const allowing = createPosts(createAllowedAddresses(["127.0.0.1"]), resolve);
    await allowing.post(`http://hooks.example:${port}/`, message, 5_000, never);
    expect(receiver.messages).toHaveLength(1);
    const strict = createPosts(createAllowedAddresses([]), resolve);
    for (address of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1"]) {
      await expect(strict.post(`http://hooks.example:${port}/`, message, 5_000, never)).rejects.toMatchObject({
        kind: "invalid",
        message: expect.stringMatching(/^hooks\.example is not a public address/),
      });
    }
    expect(receiver.messages).toHaveLength(1);
  });
});

test("Retry-After is a number of seconds or a date", () => {
  const now = Date.parse("2026-11-22T10:00:00Z");
  expect(retryAfterMs("120", now)).toBe(120_000);
  expect(retryAfterMs("Sun, 22 Nov 2026 10:01:00 GMT", now)).toBe(60_000);
  for (const none of [undefined, "", "soon", "-5", "0", "Sun, 22 Nov 2026 09:00:00 GMT"]) {
    expect(retryAfterMs(none, now)).toBeUndefined();
  }
});
