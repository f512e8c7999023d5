import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

/** Stops the server, changes its database as a crash at a certain moment would have left it, and starts it again. */
async function crashWith(statement: string, ...values: string[]): Promise<void> {
  await server.close();
  const database = new DatabaseSync(join(server.dataDir, "metadata.sqlite"), { timeout: 5_000 });
  database.prepare(statement).run(...values);
  database.close();
  server = await startServer({ dataDir: server.dataDir });
}

async function post(path: string, idempotencyKey: string, body: string | FormData) {
  const headers = new Headers({ "x-api-key": server.credentials.apiKey, "idempotency-key": idempotencyKey });
  if (typeof body === "string") headers.set("content-type", "application/json");
  const response = await fetch(`${server.url}${path}`, { method: "POST", headers, body });
  const text = await response.text();
  return { status: response.status, replayed: response.headers.get("idempotency-replayed"), text };
}

function form(text: string): FormData {
  const data = new FormData();
  data.set("file", new Blob([new Uint8Array(makePdf({ pages: [{ text }] }))]), `${text}.pdf`);
  return data;
}

async function countOf(text: string): Promise<number> {
  const headers = { "x-api-key": server.credentials.apiKey };
  const response = await fetch(`${server.url}/v1/datasets?limit=100`, { headers });
  return (await response.text()).split(`"fileName":"${text}.pdf"`).length - 1;
}

test("a repetition says that it is one and is the first answer, byte for byte", async () => {
  const first = await post("/v1/extract", "a", form("first"));
  expect(first).toMatchObject({ status: 200, replayed: null });
  expect(await post("/v1/extract", "a", form("first"))).toEqual({ ...first, replayed: "true" });
});

test("an upload whose answer was lost in a crash is not done again", async () => {
  const first = await post("/v1/extract", "lost", form("lost"));
  await crashWith("update attempts set answer = null");
  const again = await post("/v1/extract", "lost", form("lost"));
  expect(again).toMatchObject({ status: 200, replayed: "true" });
  expect(JSON.parse(again.text)["data"]["id"]).toBe(JSON.parse(first.text)["data"]["id"]);
  expect(await countOf("lost")).toBe(1);
  expect(await post("/v1/extract", "lost", form("another"))).toMatchObject({ status: 422 });
});

test("an upload that a crash interrupted is made by its repetition", async () => {
  await post("/v1/extract", "early", form("early"));
  await crashWith("update attempts set answer = null, jobId = ?", "dsj_01jzzzzzzzzzzzzzzzzzzzzzzz");
  expect(await post("/v1/extract", "early", form("retried"))).toMatchObject({ status: 200, replayed: null });
  expect(await post("/v1/extract", "early", form("retried"))).toMatchObject({ status: 200, replayed: "true" });
  expect(await countOf("retried")).toBe(1);
});

test("a key whose creation was interrupted is not created a second time", async () => {
  const request = JSON.stringify({ name: "deploy" });
  await post("/v1/admin/keys", "key", request);
  await crashWith("update attempts set answer = null");
  for (let times = 0; times < 2; times++) {
    const again = await post("/v1/admin/keys", "key", request);
    expect(again).toMatchObject({ status: 409, text: expect.stringMatching(/its answer is lost/) });
  }
});

test("an answer with a secret is nowhere in the database in clear", async () => {
  const request = JSON.stringify({ name: "secret" });
  const first = await post("/v1/admin/keys", "secret", request);
  expect(await post("/v1/admin/keys", "secret", request)).toEqual({ ...first, replayed: "true" });
  const { key } = JSON.parse(first.text)["data"];
  // The secret itself may have underscores.
  const secret = String(key).slice(-43);
  expect(secret).toHaveLength(43);
  for (const name of ["metadata.sqlite", "metadata.sqlite-wal"]) {
    expect((await readFile(join(server.dataDir, name))).includes(secret)).toBe(false);
  }
});
