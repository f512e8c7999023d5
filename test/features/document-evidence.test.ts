import { createDrs, type Drs } from "@drs/client";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FixtureProperties, makePdf } from "../fixtures/pdf.ts";
import { parseDatasetId, parseWorkspaceId } from "../../server/domain/ids.ts";
import { openMetadataOf } from "../service/metadata.ts";
import { startServer, type TestServer } from "../service/start.ts";

/** Reports with the same pages, which only their names and title pages tell apart. */
const report = (title: string, info?: FixtureProperties) =>
  makePdf({
    ...(info && { info }),
    pages: [
      { text: title },
      { text: "The chairman writes to the shareholders of the company." },
      { text: "Total revenue of the year grew by seven percent." },
    ],
  });
const reports = [
  ["heron_2018_annual.pdf", "Heron Shipping"],
  ["pelican_2018_annual.pdf", "Pelican Mining"],
  ["otter_2019_annual.pdf", "Otter Foods"],
] as const;

describe("evidence about documents", () => {
  let server: TestServer;
  let drs: Drs;
  const ids = new Map<string, string>();
  beforeAll(async () => {
    server = await startServer({ workers: "1" });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    for (const [fileName, title] of reports) {
      const job = await drs.datasets.upload(report(title), { fileName, vectorize: true });
      expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
      ids.set(fileName, job.datasetId);
    }
  }, 120_000);
  afterAll(() => server.remove());

  const uploaded = async (bytes: Buffer<ArrayBuffer>, fileName: string) => {
    const job = await drs.datasets.upload(bytes, { fileName, vectorize: true });
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
    return job;
  };
  /** Returns the document of the first page about revenue; all such pages have the same words. */
  const firstRevenue = async (question: string) => (await drs.search(question)).find(({ col }) => col === 3)?.datasetId;
  async function findsByDocument(): Promise<void> {
    // By the file's name, and by the words of the first page.
    expect(await firstRevenue("total revenue 2019")).toBe(ids.get("otter_2019_annual.pdf"));
    expect(await firstRevenue("total revenue of Pelican Mining")).toBe(ids.get("pelican_2018_annual.pdf"));
  }

  test("of pages with the same words the one comes first whose document the question is about", findsByDocument);

  test("it comes back with an index that is made again", async () => {
    await server.close();
    await rm(join(server.dataDir, "vectors"), { recursive: true });
    server = await startServer({ dataDir: server.dataDir, workers: "1" });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    await expect
      .poll(async () => (await drs.search("total revenue 2019")).incompleteDatasetIds, { timeout: 60_000 })
      .toEqual([]);
    await findsByDocument();
  });

  test("a document that gets another name is found by that", async () => {
    const id = ids.get("pelican_2018_annual.pdf") ?? "";
    expect(await firstRevenue("total revenue 2023")).not.toBe(id);
    await drs.datasets.update(id, { fileName: "pelican_2023_annual.pdf" });
    expect(await firstRevenue("total revenue 2023")).toBe(id);
    await drs.datasets.update(id, { fileName: "pelican_2018_annual.pdf" });
  });

  test("a document is found by title and author of its file, and by its metadata, as they are now", async () => {
    const info = { title: "Microsoft Word - Accounts of the lighthouse keepers.doc", author: "Ottilie Wreck" };
    const job = await drs.datasets.upload(report("Company", info), { fileName: "scan0001.pdf", vectorize: true });
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
    const id = job.datasetId;
    expect(await firstRevenue("total revenue of the lighthouse keepers")).toBe(id);
    expect(await firstRevenue("total revenue, Ottilie Wreck")).toBe(id);
    const other = ids.get("pelican_2018_annual.pdf") ?? "";
    for (const [has, lacks] of [
      [other, id],
      [id, other],
    ] as const) {
      await drs.datasets.update(lacks, { metadata: { harbour: null } });
      await drs.datasets.update(has, { metadata: { harbour: ["Tromsø", 7] } });
      expect(await firstRevenue("total revenue in Tromsø")).toBe(has);
    }
    expect(await firstRevenue("total revenue of the lighthouse keepers")).toBe(id);
    await drs.datasets.delete(id);
  });

  test("the name of a long document says which it is, and nothing about which of its pages is meant", async () => {
    const chapters = ["Nets are torn by rocks.", "Floats are made of cork.", "Boats are painted in spring."];
    const texts = Array.from({ length: 12 }, (_, at) => `Otterkit ${at + 1}. ${chapters[at % 3] ?? ""}`);
    texts[4] = "What the Otterkit manual is: who wrote the manual of Otterkit, and how to read the Otterkit manual.";
    texts[8] = "Of what a torn mesh is mended with, twine is the best.";
    const manual = makePdf({ pages: texts.map((text) => ({ text })) });
    const job = await drs.datasets.upload(manual, { fileName: "otterkit-manual.pdf", vectorize: true });
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
    const question = "In the Otterkit manual, what is a mesh mended with?";
    const first = async (options?: { readonly datasetIds: readonly string[] }) => {
      const [best] = await drs.search(question, options);
      return { datasetId: best?.datasetId, col: best?.col };
    };
    const page = { datasetId: job.datasetId, col: 9 };
    expect(await first()).toEqual(page);
    expect(await first({ datasetIds: [job.datasetId] })).toEqual(page);
    // What is nothing but the name asks for it.
    expect((await drs.search("Otterkit manual"))[0]).toMatchObject({ datasetId: job.datasetId, col: 5 });
    await drs.datasets.delete(job.datasetId);
  });

  test("metadata that changes while a new version is read is evidence about that", async () => {
    const id = ids.get("pelican_2018_annual.pdf") ?? "";
    const other = ids.get("heron_2018_annual.pdf") ?? "";
    await drs.datasets.update(id, { metadata: { harbour: "Tromsø" } });
    // Of two in the same harbour, the one with the shorter description comes first.
    await drs.datasets.update(other, { metadata: { harbour: "Tromsø", crew: "seven sailors and a carpenter" } });
    expect(await firstRevenue("total revenue in Tromsø")).toBe(id);
    const job = await drs.datasets.replace(id, report("Pelican Mining"), { fileName: "pelican_2018_annual.pdf" });
    await drs.datasets.update(id, { metadata: { harbour: null } });
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
    expect(await firstRevenue("total revenue in Tromsø")).toBe(other);
  });

  test("a change whose process was killed before it was in the index comes to be there", async () => {
    const id = ids.get("heron_2018_annual.pdf") ?? "";
    const { dataDir, credentials } = server;
    await server.close();
    const metadata = await openMetadataOf(dataDir);
    const [parsed, workspaceId] = [parseDatasetId(id), parseWorkspaceId(credentials.workspaceId)];
    if (parsed === undefined || workspaceId === undefined) throw new Error("the server gives other ids");
    // All that such a process has done.
    await metadata.datasets.update(workspaceId, parsed, () => ({ fileName: "heron_2027_annual.pdf" }), Date.now());
    await metadata.close();
    server = await startServer({ dataDir, workers: "1" });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    await expect.poll(async () => firstRevenue("total revenue 2027"), { timeout: 60_000 }).toBe(id);
  });

  test("pages of a deleted document are no rivals of those that are there, from the moment of its deletion", async () => {
    const ask = async () => (await drs.search("total revenue of the thylacine", { limit: 1 }))[0];
    const { datasetId: id } = await uploaded(report("Company"), "thylacine.pdf");
    const before = await ask();
    expect(before).toMatchObject({ datasetId: id, col: 3 });
    const { datasetId: gone } = await uploaded(report("Thylacine, thylacine, thylacine"), "tiger.pdf");
    expect(await ask()).toMatchObject({ datasetId: gone });
    await drs.datasets.delete(gone);
    const after = await ask();
    expect(after).toMatchObject({ datasetId: id, col: 3 });
    // How rare a word is may be counted with rows that are about to be removed.
    expect(after?.score).toBeGreaterThan((before?.score ?? 1) / 2);
    await drs.datasets.delete(id);
  });

  test("a deleted document is no evidence any more", async () => {
    const gone = ids.get("otter_2019_annual.pdf") ?? "";
    await drs.datasets.delete(gone);
    const found = await drs.search("total revenue 2019");
    expect(found.map(({ datasetId }) => datasetId)).not.toContain(gone);
    expect(found.length).toBeGreaterThan(0);
  });
});
