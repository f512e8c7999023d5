import { createDrs } from "@drs/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ console: "off" });
});
afterAll(() => server.remove());

test("without a console its address leads to the reference, and its pages are not there", async () => {
  const first = await fetch(server.url, { redirect: "manual" });
  expect([first.status, first.headers.get("location")]).toEqual([302, "/docs"]);
  expect((await fetch(`${server.url}/documents`)).status).toBe(404);
});

test("what would lead people to a page of the console is refused, and says why", async () => {
  const refused = { code: "failed_precondition", message: expect.stringContaining("--console off") };
  const drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  await expect(drs.sessions.createCode()).rejects.toMatchObject(refused);
  await expect(drs.devices.start("drs on workbench")).rejects.toMatchObject(refused);
});
