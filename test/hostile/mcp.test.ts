import type { Client } from "@modelcontextprotocol/client";
import { request } from "node:http";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { callTool, connectOverHttp, eras } from "../service/mcp.ts";
import { beginSession } from "../service/session.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
let admin: Drs;
/** Ids of documents that the caller's key does not see, because of its filter, its workspace or its organisation. */
let hidden: readonly { readonly dataset: string; readonly job: string }[];
let mine: { readonly dataset: string; readonly job: string };
let boundKey: string;

beforeAll(async () => {
  server = await startServer();
  admin = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  const { id: workspace } = await admin.workspaces.create("elsewhere");
  const { apiKey } = await admin.organisations.create({ name: "Strangers" });
  const sibling = (await admin.keys.create({ workspace, name: "sibling" })).key;
  const add = async (drs: Drs, customer: number) => {
    const bytes = makePdf({ pages: [{ text: `Lighthouses of customer ${customer}` }] });
    const job = await drs.datasets.upload(bytes, { fileName: "l.pdf", vectorize: true, metadata: { customer } });
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
    return { dataset: job.datasetId, job: job.id };
  };
  mine = await add(admin, 1);
  hidden = [
    await add(admin, 2),
    await add(createDrs({ server: server.url, apiKey: sibling }), 1),
    await add(createDrs({ server: server.url, apiKey }), 1),
  ];
  boundKey = (await admin.keys.create({ name: "bound", filter: { customer: 1 } })).key;
}, 120_000);
afterAll(() => server.remove());

const withoutIds = (text: string): string =>
  text.replace(/\b(?:ds|dsj|req)_\w+/g, "ID").replace(/"requestId": "[^"]*"/, "");

describe.each(eras)("a key that is bound to a filter, of the %s era", (era) => {
  let client: Client;
  beforeAll(async () => {
    client = await connectOverHttp(era, server.url, { "x-api-key": boundKey });
  });
  afterAll(() => client.close());

  test("finds and lists what it sees alone", async () => {
    for (const filter of [
      undefined,
      {},
      { customer: { $exists: true } },
      { $or: [{ customer: 1 }, { customer: 2 }] },
    ]) {
      const list = await callTool(client, "list_documents", filter && { filter });
      expect(list.said["total"]).toBe(1);
      const { text } = await callTool(client, "search_pages", {
        query: "lighthouses",
        limit: 30,
        ...(filter && { filter }),
      });
      expect(text).toContain(mine.dataset);
      for (const { dataset } of hidden) expect(text + list.text).not.toContain(dataset);
    }
  });

  test("is told of anything else what it is told of nothing at all, by tools and by resources", async () => {
    const nothing = { dataset: "ds_00000000000000000000000000", job: "dsj_00000000000000000000000000" };
    const answersOf = async ({ dataset, job }: typeof nothing): Promise<unknown[]> => {
      const reads = [`drs://datasets/${dataset}`, `drs://datasets/${dataset}/pages/1`].map(async (uri) =>
        client.readResource({ uri }).then(JSON.stringify, String),
      );
      const calls = [
        callTool(client, "get_pages", { datasetId: dataset, pages: "1" }),
        callTool(client, "get_pages", { datasetId: dataset, as: "text" }),
        callTool(client, "get_job", { jobId: job }),
        callTool(client, "get_job", { jobId: job, waitSeconds: 1 }),
        callTool(client, "search_pages", { query: "lighthouses", datasetIds: [dataset] }),
      ].map(async (call) => JSON.stringify((await call).result));
      return (await Promise.all([...reads, ...calls])).map(withoutIds);
    };
    const expected = await answersOf(nothing);
    for (const one of hidden) expect(await answersOf(one)).toEqual(expected);
    expect(await answersOf(mine)).not.toEqual(expected);
  });

  test("adds no document out of its view, and goes nowhere else by an address of a resource", async () => {
    const { said } = await callTool(client, "add_document", { url: "http://example.com/a.pdf" });
    expect(said).toMatchObject({ code: "permission_denied" });
    for (const path of [
      "..",
      "..%2f..%2fadmin%2fkeys",
      "%2e%2e/pages/1",
      `${mine.dataset}%2f..%2f..`,
      "ds_x?a=b",
      "a/pages/1:9",
    ])
      await expect(client.readResource({ uri: `drs://datasets/${path}` })).rejects.toMatchObject({
        code: -32602,
      });
  });
});

const list = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_documents", arguments: {} } };
const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const post = (message: unknown, headers: Record<string, string>): Promise<Response> =>
  fetch(`${server.url}/mcp`, { method: "POST", body: JSON.stringify(message), headers: { ...json, ...headers } });

test("there is no session to guess or to share: every message is its own key's", async () => {
  const hello = {
    ...list,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  };
  const opened = await post(hello, { "x-api-key": server.credentials.apiKey });
  expect([opened.status, opened.headers.get("mcp-session-id")]).toEqual([200, null]);
  for (const id of ["1", "00000000-0000-0000-0000-000000000000", server.credentials.workspaceId]) {
    expect((await post(list, { "mcp-session-id": id })).status).toBe(401);
    const text = await (await post(list, { "mcp-session-id": id, "x-api-key": boundKey })).text();
    expect(text).toContain(mine.dataset);
    for (const { dataset } of hidden) expect(text).not.toContain(dataset);
  }
  const session = await beginSession(server.url, server.credentials.apiKey);
  expect((await post(list, session)).status).toBe(401);
  const elsewhere = await post(list, { "x-api-key": boundKey, "x-workspace": hidden[1]?.dataset ?? "" });
  expect(await elsewhere.text()).not.toMatch(/l\.pdf/);
});

test("a page whose name leads to this machine by now (DNS rebinding) is refused, with a right key and without one", async () => {
  const { hostname, port } = new URL(server.url);
  const ask = (headers: Record<string, string>, method = "POST"): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path: "/mcp", method, headers: { ...json, ...headers } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on("error", reject).end(method === "POST" ? JSON.stringify(list) : undefined);
    });
  const host = `rebound.example:${port}`;
  for (const origin of [`http://${host}`, "http://localhost.rebound.example", "http://127.0.0.1@rebound.example"])
    expect(await ask({ host, origin, "x-api-key": server.credentials.apiKey })).toBe(403);
  // Pages send no origin with what they get from their own.
  expect(await ask({ host }, "GET")).toBe(401);
});

test("many messages in one are refused, so that each counts", async () => {
  const { status } = await post(
    Array.from({ length: 200 }, (_, id) => ({ ...list, id })),
    { "x-api-key": boundKey },
  );
  expect(status).toBe(400);
  const { key } = await admin.keys.create({ name: "slow", requestsPerMinute: 6 });
  const statuses: string[] = [];
  for (let count = 0; count < 6; count++) {
    const answer = await post(list, { "x-api-key": key });
    statuses.push(
      `${answer.status} ${/requests a minute|RESOURCE_EXHAUSTED|resource_exhausted/.test(await answer.text())}`,
    );
  }
  expect(statuses.filter((text) => text === "200 false").length).toBeLessThanOrEqual(3);
});
