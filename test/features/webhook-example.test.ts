import { createDrs } from "@drs/client";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startReceiver } from "../fixtures/webhook-receiver.ts";
import { startServer, type TestServer } from "../service/start.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const example = at("examples/webhook-receiver/receiver.ts");

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ urlAllow: "127.0.0.1" });
});
afterAll(() => server.remove());

let child: ChildProcess | undefined;
afterEach(async () => {
  if (child === undefined || child.exitCode !== null) return;
  child.kill();
  await once(child, "exit");
});

test("the guide shows the receiver as it is", async () => {
  const guide = await readFile(at("docs/how-to/webhooks.md"), "utf8");
  expect(guide).toContain(`\`\`\`ts\n${await readFile(example, "utf8")}\`\`\`\n`);
});

test("the receiver of the guide takes what drs sends, once, and nothing that others send", async () => {
  const drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  // A port that is free.
  const placeholder = await startReceiver();
  const { port } = new URL(placeholder.url);
  await placeholder.close();
  const url = `http://127.0.0.1:${port}/`;
  const { id, secret } = await drs.webhooks.create({ url, events: ["job.finished"] });
  child = spawn(process.execPath, [example], {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: port },
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.stdout === null) throw new Error("the receiver says nothing");
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  await expect.poll(() => lines.length, { timeout: 20_000 }).toBe(1);
  const job = await drs.datasets.upload(makePdf({ pages: [{ text: "a page" }] }), { fileName: "a.pdf" });
  const messageId = `${job.id}-0`;
  await expect.poll(() => lines.length, { timeout: 30_000 }).toBe(2);
  expect(lines[1]).toMatch(new RegExp(`^${messageId} \\{"type":"job\\.finished"`));
  const status = async () => (await drs.webhooks.delivery(id, messageId)).status;
  await expect.poll(status, { timeout: 20_000 }).toBe("delivered");
  await drs.webhooks.redeliver(id, messageId);
  await expect.poll(status, { timeout: 20_000 }).toBe("delivered");
  const forged = { "webhook-id": "x", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA" };
  expect((await fetch(url, { method: "POST", headers: forged, body: "{}" })).status).toBe(401);
  expect(lines).toHaveLength(2);
});
