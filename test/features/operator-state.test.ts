import { createDrs } from "@drs/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exitCodes } from "../../cli/exit-codes.ts";
import { runCaptured } from "../../cli/testing/run-captured.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
let operatorKey: string;

beforeAll(async () => {
  server = await startServer({ workers: "1" });
  operatorKey = server.credentials.apiKey;
});
afterAll(() => server.remove());

const ask = (headers: Record<string, string>, method = "GET"): Promise<Response> =>
  fetch(`${server.url}/operator/state`, { method, headers });

test("only operators see the state of the service", async () => {
  const drs = createDrs({ server: server.url, apiKey: operatorKey });
  const reader = await drs.keys.create({ name: "reader", scopes: ["read"] });
  const stranger = await drs.organisations.create({ name: "Other", plan: "unlimited" });
  expect((await ask({})).status).toBe(401);
  expect((await ask({ "x-api-key": "drs_wrong" })).status).toBe(403);
  for (const key of [reader.key, stranger.apiKey]) {
    const answer = await ask({ "x-api-key": key });
    expect([answer.status, await answer.json()]).toEqual([
      403,
      {
        success: false,
        code: "PERMISSION_DENIED",
        error: expect.stringContaining("scope admin"),
        reason: "PERMISSION_DENIED",
      },
    ]);
  }
  const answer = await ask({ "x-api-key": operatorKey });
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(await answer.json()).toMatchObject({ readiness: { checks: { metadata: "ok", blobs: "ok", vectors: "ok" } } });
  expect((await ask({ "x-api-key": operatorKey }, "POST")).status).toBe(405);
});

test("drs top prints what the service is doing, for people and for programs", async () => {
  const drs = createDrs({ server: server.url, apiKey: operatorKey });
  const pages = Array.from({ length: 600 }, (_, index) => ({ text: `page ${index + 1}` }));
  const { id } = await drs.datasets.upload(makePdf({ pages }), { fileName: "secret name.pdf", vectorize: true });
  await expect.poll(async () => (await drs.jobs.get(id)).status, { timeout: 30_000 }).toBe("IN_PROGRESS");
  const env = { DRS_SERVER: server.url, DRS_API_KEY: operatorKey };
  const { code, stdout } = await runCaptured(["top", "--json"], env);
  expect(code).toBe(exitCodes.ok);
  expect(JSON.parse(stdout)).toMatchObject({
    worker: { isUp: true },
    jobs: [{ id, state: "working", pagesTotal: expect.any(Number) }],
    unread: [],
  });
  const shown = await runCaptured(["top"], env);
  expect(shown.stdout).toMatch(/^pages per second: \d+\.\d read, \d+\.\d embedded$/m);
  expect(shown.stdout + stdout).not.toContain("secret");
  await drs.jobs.cancel(id);
  const refused = await runCaptured(["top"], { ...env, DRS_API_KEY: "drs_wrong" });
  expect(refused.code).toBe(exitCodes.auth);
  expect(refused.stderr).toContain("credentials.json");
}, 120_000);
