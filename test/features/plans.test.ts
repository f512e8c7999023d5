import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
/** The client of an organisation on a small plan. */
let small: Drs;
/** The client of the organisation that runs the service, whose plan has no limits. */
let operator: Drs;
const dayMs = 86_400_000;
const pages = (count: number): Blob =>
  new Blob([makePdf({ pages: Array.from({ length: count }, (_, index) => ({ text: `page ${index + 1}` })) })]);
const padded = new Blob([pages(1), new Uint8Array(60_000).fill(32)]);

beforeAll(async () => {
  server = await startServer();
  operator = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  await operator.plans.set("small", { maxUploadBytes: 50_000, maxRetentionDays: 30, maxPages: 2 });
  const { apiKey } = await operator.organisations.create({ name: "Small", plan: "small" });
  small = createDrs({ server: server.url, apiKey });
});
afterAll(() => server.remove());

describe("a plan limits", () => {
  test("the requests a minute of a key, each search of a call counted", async () => {
    const { key } = await operator.keys.create({ requestsPerMinute: 3 });
    const many = (searches: number, by = key): Promise<Response> =>
      fetch(`${server.url}/v1/search/many`, {
        method: "POST",
        headers: { "x-api-key": by, "content-type": "application/json" },
        body: JSON.stringify({ searches: Array.from({ length: searches }, () => ({ query: "walrus" })) }),
      });
    expect((await many(3)).status).toBe(200);
    expect((await many(2)).status).toBe(429);
    const other = await operator.keys.create({ requestsPerMinute: 3 });
    const refused = await many(20, other.key);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: expect.stringMatching(/split it/) });
  });

  test("the size of a document, in one request and in parts", async () => {
    const tooLarge = { status: 413, message: expect.stringMatching(/larger than 50000 bytes, the most that your org/) };
    await expect(small.datasets.upload(padded)).rejects.toMatchObject(tooLarge);
    await expect(small.datasets.upload(padded, { singleRequestBytes: 0 })).rejects.toMatchObject(tooLarge);
    expect(await Array.fromAsync(small.uploads.list())).toEqual([]);
    expect(await Array.fromAsync(small.datasets.list())).toEqual([]);
    const { id } = await operator.datasets.upload(padded);
    expect(await operator.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
  });

  test.each([{ expiresInDays: -1 }, { expiresInDays: 30.5 }])(
    "how long it is kept: not $expiresInDays days",
    async (days) => {
      const tooLong = { status: 400, message: expect.stringMatching(/keeps documents for at most 30 days/) };
      await expect(small.datasets.upload(pages(1), days)).rejects.toMatchObject(tooLong);
      await expect(small.datasets.upload(pages(1), { ...days, singleRequestBytes: 0 })).rejects.toMatchObject(tooLong);
      const url = new URL("http://documents.example/a.pdf");
      await expect(small.datasets.upload(url, days)).rejects.toMatchObject(tooLong);
    },
  );

  test("how long it is kept when nothing is said: as long as may be", async () => {
    for (const [asked, kept] of [
      [undefined, 30],
      [2, 2],
    ] as const) {
      const { datasetId } = await small.datasets.upload(pages(1), { expiresInDays: asked });
      const { createdAt, expiresAt } = await small.datasets.get(datasetId);
      expect((expiresAt ?? 0) - createdAt).toBe(kept * dayMs);
    }
    const { datasetId } = await operator.datasets.upload(pages(1));
    expect((await operator.datasets.get(datasetId)).expiresAt).toBeNull();
  });

  test("how many pages it has", async () => {
    const fits = await small.datasets.upload(pages(2));
    expect(await small.jobs.wait(fits.id)).toMatchObject({ status: "SUCCESS" });
    const { id } = await small.datasets.upload(pages(3));
    expect(await small.jobs.wait(id)).toMatchObject({
      status: "ERROR",
      statusText: expect.stringMatching(/has 3 pages; your organisation's plan allows 2/),
    });
  });
});
