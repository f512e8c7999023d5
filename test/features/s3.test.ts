import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createS3Clients } from "../../server/storage/s3/client.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { hasS3Server, type S3Server, s3Reason, startS3Server } from "../servers/s3.ts";
import { startServer, type TestServer } from "../service/start.ts";

const words = ["walrus", "octopus", "heron", "badger", "lynx", "otter"];
const document = makePdf({ pages: words.map((word) => ({ text: `A page about the ${word} and its winter` })) });

describe.skipIf(!hasS3Server)(`a server with its documents and its index in S3${s3Reason}`, () => {
  let store: S3Server;
  let server: TestServer;
  let drs: Drs;

  beforeAll(async () => {
    store = await startS3Server();
    for (const [name, value] of Object.entries(store.variables())) vi.stubEnv(name, value);
    server = await startServer({
      blobUrl: `s3://${store.bucket}/blobs`,
      vectorUrl: `s3://${store.bucket}/vectors`,
      shareDelivery: "redirect",
    });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  });
  afterAll(async () => {
    await server.remove();
    await store.stop();
    vi.unstubAllEnvs();
  });

  async function upload(bytes: Uint8Array, fileName: string): Promise<string> {
    const job = await drs.datasets.upload(bytes, { fileName, vectorize: true });
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
    return job.datasetId;
  }

  test("takes a document in parts, finds its pages and shows them, and keeps no second copy but what it uses", async () => {
    const partBytes = 5 * 2 ** 20;
    const filler = { operators: `%${"x".repeat(2 * partBytes)}` };
    const book = makePdf({ pages: [...words.map((word) => ({ text: `A page about the ${word}` })), filler] });
    const settings = { fileName: "animals.pdf", vectorize: true, singleRequestBytes: 0, partBytes };
    const { id, datasetId } = await drs.datasets.upload(book, settings);
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
    const [found] = await drs.search({ text: "otter" });
    expect(found).toMatchObject({ datasetId, col: 6 });
    const [item] = await Array.fromAsync(drs.items.list(datasetId, { row: "jpg", cols: ["6"] }));
    const picture = await fetch(item?.share.url ?? "");
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    expect((await readdir(server.dataDir)).filter((name) => ["blobs", "vectors"].includes(name))).toEqual([]);
    expect(await readdir(join(server.dataDir, "local-cache", "entries"))).toHaveLength(1);
    // The first results of a search are drawn in advance.
    await expect.poll(() => readdir(join(server.dataDir, "local-cache", "in-use"))).toEqual([]);
  });

  test("sends readers of links to the store, and answers itself what the store would answer otherwise", async () => {
    const datasetId = await upload(document, "Jahresbericht “2026”.pdf");
    const { share } = await drs.datasets.get(datasetId);
    const first = await fetch(share.url, { redirect: "manual" });
    const address = first.headers.get("location") ?? "";
    expect([first.status, first.headers.get("cache-control"), new URL(address).origin]).toEqual([
      307,
      "no-store",
      store.url,
    ]);
    const whole = await fetch(share.url);
    expect(Buffer.from(await whole.arrayBuffer()).equals(document)).toBe(true);
    expect(whole.headers.get("content-type")).toBe("application/pdf");
    expect(whole.headers.get("content-disposition")).toContain("Jahresbericht%20%E2%80%9C2026%E2%80%9D.pdf");
    const part = await fetch(share.url, { headers: { range: "bytes=2-5" } });
    expect([part.status, await part.text()]).toEqual([206, document.subarray(2, 6).toString("latin1")]);
    const head = await fetch(share.url, { method: "HEAD", redirect: "manual" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(document.length)]);
    const etag = head.headers.get("etag") ?? "";
    const known = await fetch(share.url, { headers: { "if-none-match": etag }, redirect: "manual" });
    const same = await fetch(share.url, { headers: { "if-match": etag }, redirect: "manual" });
    const other = await fetch(share.url, { headers: { "if-match": '"other"' }, redirect: "manual" });
    expect([known.status, same.status, other.status]).toEqual([304, 200, 412]);
    // It opens nothing else, for no other method and for a minute.
    const url = new URL(address);
    expect(url.searchParams.get("X-Amz-Expires")).toBe("60");
    expect((await fetch(address.replace(url.pathname, `${url.pathname}x`))).status).toBe(403);
    expect((await fetch(address, { method: "DELETE" })).status).toBe(403);
  });

  test("tells callers to come again while the store is away, and goes on by itself when it is back", async () => {
    const datasetId = await upload(document, "before.pdf");
    const pages = Array.from({ length: 60 }, (_, at) => ({ text: `Page ${at + 1} of a long report on herons` }));
    const long = await drs.datasets.upload(makePdf({ pages }), { fileName: "long.pdf", vectorize: true });
    await expect
      .poll(async () => (await drs.jobs.get(long.id)).progress.pagesDone, { timeout: 30_000 })
      .toBeGreaterThan(3);
    await store.kill();
    const { share } = await drs.datasets.get(datasetId);
    const headers = { "x-api-key": server.credentials.apiKey, "content-type": "application/json" };
    const form = new FormData();
    form.set("file", new Blob([document]), "while-away.pdf");
    const answers = await Promise.all([
      fetch(share.url, { headers: { "if-match": "*" } }),
      fetch(`${server.url}/v1/search`, { method: "POST", headers, body: JSON.stringify({ query: "otter" }) }),
      fetch(`${server.url}/v1/extract`, { method: "POST", headers: { "x-api-key": headers["x-api-key"] }, body: form }),
    ]);
    await sleep(2_000);
    await store.start();
    expect(answers.map(({ status, headers }) => [status, headers.get("retry-after") !== null])).toEqual(
      answers.map(() => [503, true]),
    );
    const done = await drs.jobs.wait(long.id);
    expect(done).toMatchObject({ status: "SUCCESS" });
    const items = await Array.fromAsync(drs.items.list(long.datasetId, { row: "embedding_image" }));
    expect(items.map(({ col }) => col).toSorted((one, other) => one - other)).toEqual(pages.map((_, at) => at + 1));
    expect((await fetch(share.url)).status).toBe(200);
  });

  test("removes a deleted document from the store", async () => {
    for await (const { id } of drs.datasets.list()) await drs.datasets.delete(id);
    const { usual } = createS3Clients(store.environment());
    const input = { Bucket: store.bucket, Prefix: "blobs/" };
    await expect
      .poll(async () => (await usual.send(new ListObjectsV2Command(input))).KeyCount, { timeout: 30_000 })
      .toBe(0);
    usual.destroy();
  });
});
