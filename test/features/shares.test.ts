import { join } from "node:path";
import { createDrs, type Drs, type Item } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { sendBytes } from "../hostile/fuzz/raw.ts";
import { startServer, type TestServer } from "../service/start.ts";

const document = makePdf({ pages: [{ text: "Share me, page one" }, { text: "" }] });

describe("share links", () => {
  let server: TestServer;
  let drs: Drs;
  let datasetId: string;

  beforeAll(async () => {
    server = await startServer();
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const job = await drs.datasets.upload(document, { fileName: "Jahresbericht “2026”.pdf", vectorize: true });
    datasetId = job.datasetId;
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
  });
  afterAll(() => server.remove());

  async function item(row: Item["row"], page = 1): Promise<Item> {
    const [found] = await Array.fromAsync(drs.items.list(datasetId, { row, cols: [String(page)] }));
    if (found === undefined) throw new Error(`page ${page} has no ${row}`);
    return found;
  }

  test("a dataset's link gives the original back, with its name", async () => {
    const { share } = await drs.datasets.get(datasetId);
    const response = await fetch(share.url);
    expect(Buffer.from(await response.arrayBuffer()).equals(document)).toBe(true);
    expect(response.headers.get("content-type")).toBe("application/pdf");
    expect(response.headers.get("content-disposition")).toContain(
      "filename*=UTF-8''Jahresbericht%20%E2%80%9C2026%E2%80%9D.pdf",
    );
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  test("ranges, HEAD and entity tags work on a rendition", async () => {
    const { share } = await item("jpg");
    const whole = await fetch(share.url);
    const bytes = Buffer.from(await whole.arrayBuffer());
    const etag = whole.headers.get("etag") ?? "";
    const part = await fetch(share.url, { headers: { range: "bytes=10-19" } });
    expect(part.status).toBe(206);
    expect(part.headers.get("content-range")).toBe(`bytes 10-19/${bytes.length}`);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true);
    const head = await fetch(share.url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(bytes.length)]);
    expect((await fetch(share.url, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await fetch(share.url, { headers: { range: `bytes=${bytes.length}-` } })).status).toBe(416);
  });

  test("an embedding comes as JSON or as little-endian floats", async () => {
    const { share } = await item("embedding_image");
    const json: { model: string; dimensions: number; values: number[] } = JSON.parse(
      await (await fetch(share.url)).text(),
    );
    expect(json.values).toHaveLength(json.dimensions);
    expect(Math.hypot(...json.values)).toBeCloseTo(1, 3);
    const binary = await fetch(share.url, { headers: { accept: "application/octet-stream" } });
    const view = new DataView(await binary.arrayBuffer());
    const values = Array.from({ length: json.dimensions }, (_, index) => view.getFloat32(index * 4, true));
    values.forEach((value, index) => expect(value).toBeCloseTo(json.values[index] ?? Number.NaN, 6));
  });

  test("a wrong, foreign, truncated or missing token is refused with one and the same answer", async () => {
    const [jpg, pdf] = [await item("jpg"), await item("pdf")];
    const path = `${server.url}/v1/share/${jpg.id}`;
    const attempts = [
      path,
      `${path}?token=`,
      `${path}?token=x`,
      `${path}?token=${pdf.share.token}`,
      `${path}?token=${jpg.share.token.slice(0, -2)}`,
      `${server.url}/v1/share/dsx_unknown?token=${jpg.share.token}`,
      `${server.url}/v1/share/..%2F..%2Fetc?token=x`,
    ];
    const answers = await Promise.all(
      attempts.map(async (url) => {
        const response = await fetch(url);
        return `${response.status} ${await response.text()}`;
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^403 .*"success":false/);
  });

  test("a link ends with its lifetime", async () => {
    const [short] = await Array.fromAsync(drs.items.list(datasetId, { row: "jpg", cols: ["1"], expiresInSeconds: 1 }));
    expect((await fetch(short?.share.url ?? "")).status).toBe(200);
    await expect.poll(async () => (await fetch(short?.share.url ?? "")).status, { timeout: 5_000 }).toBe(403);
  });

  test("a link begins with how its request reached the server, and is a picture to search for under every name", async () => {
    const roaming = await startServer({ host: "0.0.0.0", dataDir: join(server.dataDir, "roaming") });
    const { port } = new URL(roaming.url);
    const { apiKey } = roaming.credentials;
    const ask = (name: string): Drs => createDrs({ server: `http://${name}:${port}`, apiKey });
    const job = await ask("127.0.0.1").datasets.upload(document, { fileName: "a.pdf", vectorize: true });
    await ask("127.0.0.1").jobs.wait(job.id);
    for (const name of ["127.0.0.1", "localhost"]) {
      const { share } = await ask(name).datasets.get(job.datasetId);
      expect(share.url).toMatch(new RegExp(`^http://${name}:${port}/v1/share/`));
      expect((await fetch(share.url)).status).toBe(200);
      const [page] = await Array.fromAsync(ask(name).items.list(job.datasetId, { row: "jpg" }));
      const [found] = await ask("127.0.0.1").search({ image: page?.share.url ?? "" });
      expect(found?.share.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
      const description: unknown = await (await fetch(`http://${name}:${port}/v1/openapi.json`)).json();
      expect(description).toMatchObject({ servers: [{ url: `http://${name}:${port}` }] });
    }
    await roaming.remove();
  });

  test.each(["connect", "rest"])("a forged Host makes no link, over %s", async (protocol) => {
    const path = protocol === "rest" ? "/v1/datasets" : "/drs.v1.DatasetService/ListDatasets";
    const head = [
      `${protocol === "rest" ? "GET" : "POST"} ${path} HTTP/1.1`,
      "host: evil.example/a?",
      "connection: close",
    ];
    const body = ["content-type: application/json", "content-length: 2", `x-api-key: ${server.credentials.apiKey}`];
    const answer = await sendBytes(server.url, Buffer.from([...head, ...body, "", "{}"].join("\r\n")), 20_000);
    expect(answer).toContain("HTTP/1.1 400");
    expect(answer).not.toContain("evil");
  });

  test("a link ends with its dataset", async () => {
    const job = await drs.datasets.upload(document, { fileName: "gone.pdf" });
    await drs.jobs.wait(job.id);
    const [page] = await Array.fromAsync(drs.items.list(job.datasetId, { row: "jpg" }));
    const { share } = await drs.datasets.get(job.datasetId);
    await drs.datasets.delete(job.datasetId);
    expect((await fetch(page?.share.url ?? "")).status).toBe(403);
    expect((await fetch(share.url)).status).toBe(403);
  });

  test("a blank page has a picture", async () => {
    expect((await fetch((await item("jpg", 2)).share.url)).status).toBe(200);
  });
});
