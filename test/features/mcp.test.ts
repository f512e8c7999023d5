import { request } from "node:http";
import type { Client } from "@modelcontextprotocol/client";
import { createDrs, type Drs } from "@drs/client";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { callTool, connectOverHttp, eras } from "../service/mcp.ts";
import { startServer, type TestServer } from "../service/start.ts";

/** A picture that no compression makes small. */
const noise = (x: number, y: number): [number, number, number] => {
  const one = Math.imul((x + 1) * 7_919 + y * 104_729, 2_654_435_761) >>> 8;
  return [one & 255, (one >>> 8) & 255, (one >>> 16) & 255];
};
const garden = makePdf({
  pages: Array.from({ length: 30 }, (_, index) => ({
    text: `Chapter ${index + 1}\nHow tomatoes grow in a greenhouse`,
  })),
});
const dense = makePdf({
  pages: Array.from({ length: 3 }, () => ({ picture: { width: 800, height: 1_100, pixel: noise } })),
});
const wordy = makePdf({
  pages: Array.from({ length: 8 }, () => ({
    fontSize: 2,
    text: Array(150).fill('"wool" \\ carpet '.repeat(20)).join("\n"),
  })),
});

let server: TestServer;
let drs: Drs;
let ids: { garden: string; dense: string; wordy: string };

beforeAll(async () => {
  server = await startServer();
  drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  const add = async (fileName: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
    const { id, datasetId } = await drs.datasets.upload(bytes, { fileName, vectorize: true });
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [] });
    return datasetId;
  };
  ids = {
    garden: await add("garden.pdf", garden),
    dense: await add("dense.pdf", dense),
    wordy: await add("wordy.pdf", wordy),
  };
});
afterAll(() => server.remove());

describe.each(eras)("a client of the %s era", (era) => {
  let client: Client;

  beforeAll(async () => {
    client = await connectOverHttp(era, server.url, { authorization: `Bearer ${server.credentials.apiKey}` });
  });
  afterAll(() => client.close());

  test("opens the connection in the way of its era, and sees few tools", async () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(era === "legacy" ? "2025-11-25" : "2026-07-28");
    expect(client.getServerVersion()).toMatchObject({ name: "drs" });
    expect(client.getInstructions()).toMatch(/search_pages/);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "search_pages",
      "get_pages",
      "list_documents",
      "add_document",
      "get_job",
    ]);
    // Descriptions are in every conversation: some 2,500 tokens.
    expect(JSON.stringify(tools).length).toBeLessThan(10_000);
    // Clients that know them drop all pictures where a tool has both.
    expect(tools.filter(({ outputSchema }) => outputSchema !== undefined).map(({ name }) => name)).toEqual([
      "list_documents",
      "add_document",
      "get_job",
    ]);
  });

  test("finds pages, and sees them with what is known about each", async () => {
    const { said, result, pictures } = await callTool(client, "search_pages", {
      query: "how do tomatoes grow?",
      datasetIds: [ids.garden],
      limit: 3,
    });
    expect(result.structuredContent).toBeUndefined();
    expect(said).toMatchObject({ found: 3 });
    const [first] = said["pages"] as Record<string, unknown>[];
    expect(first).toMatchObject({
      rank: 1,
      datasetId: ids.garden,
      fileName: "garden.pdf",
      pageCount: 30,
      pictureBelow: true,
      text: expect.stringContaining("tomatoes grow"),
    });
    expect(pictures).toHaveLength(3);
    for (const picture of pictures) expect(await sharp(picture).metadata()).toMatchObject({ format: "jpeg" });
    const label = result.content[1];
    expect(label).toMatchObject({ text: expect.stringMatching(/^1\. garden\.pdf, page \d+, score [01]\.\d\d$/) });
    const link = await fetch(String(first?.["link"]));
    expect([link.status, link.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  });

  test("finds nothing below a score, and shows no pictures where none are wanted", async () => {
    const none = await callTool(client, "search_pages", { query: "tomatoes", minScore: 1 });
    expect(none.said).toMatchObject({ found: 0, note: expect.any(String) });
    const list = await callTool(client, "search_pages", { query: "tomatoes", pictures: false });
    expect(list.said).toMatchObject({ found: 5 });
    expect(list.pictures).toEqual([]);
  });

  test("finds pages by a picture as large as a photograph", async () => {
    const [page] = (await drs.items.page(ids.garden, { row: "jpg", cols: 12 })).data;
    if (page === undefined) throw new Error("there is no page 12");
    const photo = await sharp(await (await drs.download(page)).bytes())
      .resize(2_000)
      .png({ compressionLevel: 0 })
      .toBuffer();
    expect(photo.length).toBeGreaterThan(8_000_000);
    const image = `data:image/png;base64,${photo.toString("base64")}`;
    expect((await callTool(client, "search_pages", { image, limit: 1 })).said).toMatchObject({
      pages: [{ fileName: "garden.pdf" }],
    });
  });

  test("sees pages by their numbers, the first that fit", async () => {
    const { said, pictures } = await callTool(client, "get_pages", { datasetId: ids.garden, pages: "2:4,7" });
    expect(said).toMatchObject({ fileName: "garden.pdf", pageCount: 30 });
    expect((said["pages"] as { page: number; inline: boolean }[]).map(({ page, inline }) => [page, inline])).toEqual([
      [2, true],
      [3, true],
      [4, true],
      [7, true],
    ]);
    expect(pictures).toHaveLength(4);
    const many = await callTool(client, "get_pages", { datasetId: ids.garden, pages: "1:", width: 256 });
    expect(many.pictures).toHaveLength(20);
    expect(many.said["note"]).toMatch(/30 pages match: request those after page 20/);
  });

  test("gets dense pages within a megabyte: some inline, the others by link", async () => {
    const { said, pictures } = await callTool(client, "get_pages", { datasetId: ids.dense, pages: "1:3", width: 2000 });
    expect(pictures.length).toBeGreaterThan(0);
    expect(pictures.length).toBeLessThan(3);
    const pages = said["pages"] as { page: number; inline: boolean; link: string }[];
    expect(pages.filter(({ inline }) => inline)).toHaveLength(pictures.length);
    expect(said["note"]).toMatch(`page ${pictures.length + 1} and later pages did not fit`);
    const linked = await fetch(pages.at(-1)?.link ?? "");
    expect(linked.status).toBe(200);
    await linked.body?.cancel();
  });

  test("gets the text of pages, and as much of it as a conversation holds", async () => {
    const { result } = await callTool(client, "get_pages", { datasetId: ids.garden, pages: "5", as: "text" });
    expect(result.content[1]).toMatchObject({
      text: "garden.pdf, page 5 of 30\n\nChapter 5\nHow tomatoes grow in a greenhouse",
    });
    const scan = await callTool(client, "get_pages", { datasetId: ids.dense, as: "text" });
    expect(scan.result.content[1]).toMatchObject({ text: expect.stringContaining("no text layer") });
    const much = await callTool(client, "get_pages", { datasetId: ids.wordy, pages: "1:", as: "text" });
    expect(JSON.stringify(much.result).length).toBeLessThan(100_000);
    expect(much.result.content.length).toBeGreaterThan(1);
    const found = await callTool(client, "search_pages", { query: "carpet", datasetIds: [ids.wordy], limit: 30 });
    expect(Buffer.byteLength(found.text)).toBeLessThan(80_000);
  });

  test("gets pages as PDFs", async () => {
    const { result } = await callTool(client, "get_pages", { datasetId: ids.garden, pages: "3", as: "pdf" });
    const block = result.content[2];
    if (block?.type !== "resource" || !("blob" in block.resource)) throw new Error("there is no PDF");
    expect(block.resource).toMatchObject({
      uri: `drs://datasets/${ids.garden}/pages/3.pdf`,
      mimeType: "application/pdf",
    });
    expect(Buffer.from(block.resource.blob, "base64").toString("latin1", 0, 5)).toBe("%PDF-");
  });

  test("goes through the list of documents by its cursor", async () => {
    const names: unknown[] = [];
    let cursor: unknown;
    do {
      const { said, result } = await callTool(client, "list_documents", { limit: 2, sort: "fileName", cursor });
      expect(result.structuredContent).toEqual(said);
      expect(said["total"]).toBe(3);
      names.push(...(said["documents"] as { fileName: string }[]).map(({ fileName }) => fileName));
      cursor = said["nextCursor"];
    } while (cursor !== undefined);
    expect(names).toEqual(["dense.pdf", "garden.pdf", "wordy.pdf"]);
  });

  test("lists and finds by metadata", async () => {
    await drs.datasets.update(ids.garden, { metadata: { kind: "notes", year: 2024 } });
    const filter = { kind: "notes", year: { $gte: 2020 } };
    const listed = await callTool(client, "list_documents", { filter });
    expect(listed.said).toMatchObject({
      total: 1,
      documents: [{ datasetId: ids.garden, metadata: { kind: "notes", year: 2024 } }],
    });
    const search = { query: "how do tomatoes grow?", pictures: false, limit: 3 };
    const found = await callTool(client, "search_pages", { ...search, filter });
    expect(new Set((found.said["pages"] as { datasetId: string }[]).map(({ datasetId }) => datasetId))).toEqual(
      new Set([ids.garden]),
    );
    const none = await callTool(client, "search_pages", { ...search, filter: { kind: { $ne: "notes" } } });
    expect(JSON.stringify(none.said["pages"])).not.toContain(ids.garden);
  });

  test("follows a job to its end, and hears of its progress", async () => {
    const { id } = (await drs.jobs.page({ limit: 1 })).data[0] ?? { id: "" };
    const { said, result } = await callTool(client, "get_job", { jobId: id, waitSeconds: 5 });
    expect(said).toMatchObject({ jobId: id, status: "SUCCESS", failedPages: [], warnings: [] });
    expect(result.structuredContent).toEqual(said);
  });

  test("reads documents and pages as resources", async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "drs://datasets/{datasetId}",
      "drs://datasets/{datasetId}/pages/{page}",
    ]);
    const about = await client.readResource({ uri: `drs://datasets/${ids.garden}` });
    const text = about.contents[0];
    expect(text !== undefined && "text" in text && JSON.parse(text.text)).toMatchObject({ fileName: "garden.pdf" });
    const page = await client.readResource({ uri: `drs://datasets/${ids.garden}/pages/9` });
    expect(page.contents[0]).toMatchObject({ mimeType: "image/jpeg", blob: expect.any(String) });
    for (const uri of [
      `drs://datasets/${ids.garden}/pages/31`,
      "drs://datasets/ds_none",
      "drs://x",
      "file:///etc/passwd",
    ]) {
      await expect(client.readResource({ uri }), `of ${uri}`).rejects.toMatchObject({ code: expect.any(Number) });
    }
  });

  test("has prompts for people", async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["answer_from_documents", "read_document"]);
    const { messages } = await client.getPrompt({ name: "answer_from_documents", arguments: { question: "why?" } });
    expect(JSON.stringify(messages)).toContain("why?");
  });

  test("gets an error that says what to do for what cannot be meant", async () => {
    const refused: [name: string, input: Record<string, unknown>, RegExp][] = [
      ["search_pages", {}, /give query, image or both/],
      ["search_pages", { query: "   " }, /give query, image or both/],
      ["search_pages", { query: 5 }, /query/],
      ["search_pages", { query: "x", limit: 31 }, /limit/],
      ["search_pages", { query: "x", limit: 1.5 }, /limit/],
      ["search_pages", { query: "x", limt: 3 }, /unknown: limt; this tool takes query, image/],
      ["search_pages", { query: "x", ["y".repeat(2_000_000)]: 1 }, /unknown: y/],
      ["search_pages", { query: "x", datasetIds: [] }, /datasetIds/],
      ["search_pages", { query: "x", datasetIds: Array(101).fill(ids.garden) }, /datasetIds/],
      ["search_pages", { query: "x", width: 1000 }, /width/],
      ["search_pages", { query: "x".repeat(3_000_000) }, /./],
      ["search_pages", { image: "data:image/png;base64,AAAA" }, /picture|image/],
      ["search_pages", { image: "not an address" }, /./],
      ["get_pages", {}, /datasetId/],
      ["get_pages", { datasetId: "../../etc/passwd" }, /begins with ds_/],
      ["get_pages", { datasetId: "ds_00000000000000000000000000" }, /there is no dataset/],
      ["get_pages", { datasetId: ids.garden, pages: "0" }, /./],
      ["get_pages", { datasetId: ids.garden, pages: "5:2" }, /./],
      ["get_pages", { datasetId: ids.garden, pages: "x" }, /page numbers from 1/],
      ["get_pages", { datasetId: ids.garden, pages: "31" }, /garden\.pdf has 30 pages/],
      ["get_pages", { datasetId: ids.garden, as: "mp3" }, /as/],
      ["list_documents", { cursor: "%%%" }, /cursor is not valid/],
      ["list_documents", { filter: { year: { $near: 1 } } }, /\$near is not an operator/],
      ["search_pages", { query: "a", filter: [] }, /filter/],
      ["list_documents", { limit: 0 }, /limit/],
      ["get_job", { jobId: "dsj_00000000000000000000000000" }, /there is no job/],
      ["get_job", { jobId: ids.garden }, /begins with dsj_/],
      ["add_document", {}, /url/],
      ["add_document", { path: "/etc/passwd" }, /unknown: path/],
      ["add_document", { url: "/etc/passwd" }, /http or https/],
      ["add_document", { url: "file:///etc/passwd" }, /http or https/],
      ["add_document", { url: "http://127.0.0.1:1234/x.pdf" }, /./],
      ["add_document", { url: "http://169.254.169.254/latest/meta-data" }, /./],
    ];
    for (const [name, input, sentence] of refused) {
      const { result, text } = await callTool(client, name, input);
      expect(result.isError, `${name} ${JSON.stringify(input).slice(0, 100)}: ${text}`).toBe(true);
      expect(text).toMatch(sentence);
      expect(text).not.toContain("internal error");
      expect(JSON.stringify(result).length).toBeLessThan(5_000);
    }
    await expect(client.callTool({ name: "delete_everything", arguments: {} })).rejects.toMatchObject({ code: -32602 });
    // It goes on.
    expect((await callTool(client, "list_documents")).said["total"]).toBe(3);
  });
});

test("a key opens what its scopes open, in its own workspace", async () => {
  const { workspaceId } = server.credentials;
  const { key } = await drs.keys.create({ workspace: workspaceId, name: "reader", scopes: ["read"] });
  const reader = await connectOverHttp("modern", server.url, { "x-api-key": key });
  expect((await callTool(reader, "list_documents")).said["total"]).toBe(3);
  expect(await callTool(reader, "search_pages", { query: "tomatoes" })).toMatchObject({
    result: { isError: true },
    said: { code: "permission_denied" },
  });
  expect(await callTool(reader, "add_document", { url: "http://example.com/a.pdf" })).toMatchObject({
    said: { code: "permission_denied" },
  });
  await reader.close();
  const elsewhere = await drs.workspaces.create("elsewhere");
  const stranger = await drs.keys.create({ workspace: elsewhere.id, name: "stranger", scopes: ["read", "search"] });
  const other = await connectOverHttp("legacy", server.url, { "x-api-key": stranger.key });
  expect((await callTool(other, "list_documents")).said["total"]).toBe(0);
  expect((await callTool(other, "get_pages", { datasetId: ids.garden })).said).toMatchObject({ code: "not_found" });
  await other.close();
});

const hello = { jsonrpc: "2.0", id: 1, method: "tools/list" };

function post(body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.url}/mcp`, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "x-api-key": server.credentials.apiKey,
      ...headers,
    },
  });
}

test("who has no key is told so, and is not sent to sign in elsewhere", async () => {
  for (const key of ["", "wrong"]) {
    const response = await post(JSON.stringify(hello), { "x-api-key": key });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ success: false, code: "UNAUTHENTICATED" });
  }
  for (const path of [
    "oauth-protected-resource",
    "oauth-protected-resource/mcp",
    "oauth-authorization-server",
    "openid-configuration",
  ]) {
    expect((await fetch(`${server.url}/.well-known/${path}`)).status, `of ${path}`).toBe(404);
  }
});

test("pages of other sites are refused, those of this machine are not", async () => {
  for (const origin of ["https://evil.example", "null", "http://127.0.0.1.evil.example", "file://", "x"]) {
    expect((await post(JSON.stringify(hello), { origin })).status, `of ${origin}`).toBe(403);
  }
  for (const origin of ["http://localhost:6274", "http://127.0.0.1:3000", "http://[::1]:80"]) {
    expect((await post(JSON.stringify(hello), { origin })).status, `of ${origin}`).toBe(200);
  }
});

test("what is no message is answered with an error of the protocol", async () => {
  const cases: [body: string | Buffer<ArrayBuffer>, headers: Record<string, string>, status: number][] = [
    ["", {}, 400],
    ["{", {}, 400],
    ["null", {}, 400],
    ["[]", {}, 400],
    ["{}", {}, 400],
    ['{"jsonrpc":"1.0","id":1,"method":"tools/list"}', {}, 400],
    [JSON.stringify({ ...hello, method: "no/such" }), {}, 200],
    [JSON.stringify({ ...hello, id: {} }), {}, 400],
    [JSON.stringify(hello), { "content-type": "text/plain" }, 415],
    [JSON.stringify(hello), { "mcp-protocol-version": "1999-01-01" }, 400],
    ["[".repeat(100_000), {}, 400],
    [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, {}, 400],
    [Buffer.alloc(33 * 2 ** 20, 0x20), {}, 413],
  ];
  for (const [body, headers, status] of cases) {
    const response = await post(body, headers);
    const text = await response.text();
    expect(response.status, `${String(body).slice(0, 60)} ${JSON.stringify(headers)}: ${text.slice(0, 200)}`).toBe(
      status,
    );
  }
  for (const method of ["GET", "DELETE", "PUT"]) {
    const response = await fetch(`${server.url}/mcp`, { method, headers: { "x-api-key": server.credentials.apiKey } });
    expect(response.status, `of ${method}`).toBe(405);
  }
});

test("a caller that goes away ends what is done for it", async () => {
  const { id } = await drs.datasets.upload(
    makePdf({ pages: Array.from({ length: 400 }, (_, index) => ({ text: `Page ${index}` })) }),
    { fileName: "long.pdf", vectorize: true },
  );
  const message = {
    ...hello,
    method: "tools/call",
    params: { name: "get_job", arguments: { jobId: id, waitSeconds: 45 } },
  };
  const asked = request(`${server.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "x-api-key": server.credentials.apiKey,
    },
  });
  asked.on("error", () => undefined);
  asked.end(JSON.stringify(message));
  const atWork = async (): Promise<number> => {
    const text = await (
      await fetch(`${server.url}/metrics`, { headers: { "x-api-key": server.credentials.apiKey } })
    ).text();
    return Number(/drs_requests_at_work\{kind="other"\} (\d+)/.exec(text)?.[1]);
  };
  await expect.poll(atWork).toBeGreaterThan(0);
  asked.destroy();
  await expect.poll(atWork).toBe(0);
  await drs.jobs.cancel(id);
});
