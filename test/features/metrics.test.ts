import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { readSamples, type Sample } from "../service/samples.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
let drs: Drs;

beforeAll(async () => {
  server = await startServer({ workers: "1" });
  drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
});
afterAll(() => server.remove());

const scrape = (): Promise<readonly Sample[]> => readSamples(server.url);

/** The sum of all samples of the name with these labels; undefined if there are none. */
async function value(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
  const found = (await scrape()).filter(
    (sample) => sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
  );
  return found.length === 0 ? undefined : found.reduce((sum, sample) => sum + sample.value, 0);
}

const eventually = (name: string, labels: Readonly<Record<string, string>>) =>
  expect.poll(() => value(name, labels), { timeout: 20_000, interval: 250 });

const extract = "datasets/extract";

test("jobs, pages, claims and store calls of the worker are in the metrics of its server", async () => {
  const pages = Array.from({ length: 3 }, (_, index) => ({ text: `about harbours ${index + 1}` }));
  const job = await drs.datasets.upload(makePdf({ pages }), { fileName: "good.pdf", vectorize: true });
  expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
  const broken = await drs.datasets.upload(Buffer.from("%PDF-1.7\nnothing of use\n"), { fileName: "bad.pdf" });
  expect(await drs.jobs.wait(broken.id)).toMatchObject({ status: "ERROR" });
  await eventually("drs_jobs_total", { result: "succeeded" }).toBeGreaterThanOrEqual(1);
  await eventually("drs_jobs_total", { type: extract, result: "failed", reason: "damaged" }).toBe(1);
  await eventually("drs_pages_total", { stage: "read", result: "succeeded" }).toBe(3);
  await eventually("drs_pages_total", { stage: "embed", result: "succeeded" }).toBe(3);
  await eventually("drs_job_claims_total", {}).toBeGreaterThanOrEqual(2);
  await eventually("drs_job_wait_seconds_count", {}).toBeGreaterThanOrEqual(2);
  await eventually("drs_job_duration_seconds_count", { result: "failed" }).toBe(1);
  const operations = { "jobs.claim": "metadata", put: "vectors", asFile: "blobs" };
  for (const [operation, store] of Object.entries(operations)) {
    await eventually("drs_store_duration_seconds_count", { store, operation }).toBeGreaterThanOrEqual(1);
  }
}, 120_000);

test("searches are timed by part", async () => {
  await drs.search({ text: "harbours" });
  for (const part of ["turn", "query", "words", "vectors", "fusion", "rows"]) {
    expect(await value("drs_search_part_duration_seconds_count", { part })).toBe(1);
  }
});

test("links that are asked for hit or miss the cache", async () => {
  const { data: datasets } = await drs.datasets.page({});
  const dataset = datasets.find(({ fileName }) => fileName === "good.pdf");
  const { data: items } = await drs.items.page(dataset?.id ?? "", { row: "jpg" });
  const url = items.at(-1)?.share?.url ?? "";
  const before = await Promise.all(["miss", "hit"].map((result) => value("drs_rendition_requests_total", { result })));
  for (let view = 0; view < 2; view++) expect((await fetch(url)).status).toBe(200);
  const asked = (await value("drs_rendition_requests_total")) ?? 0;
  expect(asked).toBe((before[0] ?? 0) + (before[1] ?? 0) + 2);
  expect(await value("drs_rendition_requests_total", { result: "hit" })).toBeGreaterThanOrEqual(1);
});

test("a cancelled job is counted, and a claim that it takes away is no lapsed one", async () => {
  const pages = Array.from({ length: 400 }, (_, index) => ({ text: `page ${index + 1}` }));
  const { id } = await drs.datasets.upload(makePdf({ pages }), { fileName: "long.pdf", vectorize: true });
  await expect.poll(async () => (await drs.jobs.get(id)).progress.pagesDone, { timeout: 60_000 }).toBeGreaterThan(0);
  await drs.jobs.cancel(id);
  expect(await value("drs_jobs_total", { result: "canceled", reason: "canceled" })).toBe(1);
  await eventually("drs_job_claims_lost_total", { cause: "ended" }).toBe(1);
  expect(await value("drs_job_claims_lost_total", { cause: "lapsed" })).toBe(0);
}, 120_000);

test("the queue and the disk are read when metrics are asked for", async () => {
  expect(await value("drs_sample_up")).toBe(4);
  expect(await value("drs_disk_size_bytes")).toBeGreaterThan((await value("drs_disk_free_bytes")) ?? Number.NaN);
  expect(await value("drs_disk_reserve_bytes")).toBeGreaterThan(0);
  expect(await value("drs_rendition_cache_limit_bytes")).toBe(10 * 2 ** 30);
});

test("labels say nothing of tenants and documents, and there are few series", async () => {
  const samples = await scrape();
  for (const { labels } of samples) {
    for (const text of Object.values(labels)) expect(text).not.toMatch(/ds_|dsj_|ws_|org_|good|long|bad\.pdf/);
  }
  const series = samples.filter(({ name }) => name.startsWith("drs_") && !name.endsWith("_bucket"));
  expect(series.length).toBeLessThan(600);
});

const root = join(import.meta.dirname, "../..");

test("docs/reference/metrics.md names every metric of drs, and none that there is not", async () => {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const there = [...text.matchAll(/^# TYPE (drs_\w+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  const table = readFileSync(join(root, "docs/reference/metrics.md"), "utf8");
  const named = [...table.matchAll(/^\| `(drs_\w+)` \| (\w+) \|/gm)].map(([, name, type]) => `${name} ${type}`);
  expect(named.toSorted()).toEqual(there.toSorted());
});
