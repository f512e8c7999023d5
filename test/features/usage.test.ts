import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCaptured } from "../../cli/testing/run-captured.ts";
import { makeDocx } from "../fixtures/ooxml.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const book = makePdf({ pages: [{ text: "one" }, { text: "two" }] });
const letter = makeDocx({ paragraphs: ["Dear lighthouse keeper,", "how are the lamps?"] });

describe("usage", () => {
  let dataDir: string;
  let server: TestServer;
  let drs: Drs;

  const start = async (): Promise<void> => {
    server = await startServer({ dataDir });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  };
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "drs-usage-"));
    await start();
  });
  afterAll(async () => {
    await server.close();
    await rm(dataDir, { recursive: true });
  });

  const keep = async (file: Uint8Array<ArrayBuffer>, fileName: string): Promise<string> => {
    const { id, datasetId } = await drs.datasets.upload(file, { fileName });
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
    return datasetId;
  };
  /** Path of the PDF that the document of a dataset became. */
  async function convertedPath(datasetId: string): Promise<string> {
    const folder = join(dataDir, "blobs", "converted");
    const name = (await readdir(folder)).find((found) => found.startsWith(datasetId));
    if (name === undefined) throw new Error(`${datasetId} has not been converted`);
    return join(folder, name);
  }
  const convertedSize = async (datasetId: string): Promise<number> => (await stat(await convertedPath(datasetId))).size;

  test("an Office document counts with the PDF that it became, and frees both", async () => {
    await keep(book, "book.pdf");
    const id = await keep(letter, "letter.docx");
    const converted = await convertedSize(id);
    const originals = book.length + letter.length;
    expect(await drs.usage()).toMatchObject({
      stored: { total: originals + converted, originals, converted, parts: 0 },
      organisationStoredBytes: originals + converted,
      documents: 2,
      pages: 3,
      plan: "unlimited",
    });
    expect(await drs.datasets.delete(id)).toMatchObject({ freedBytes: letter.length + converted });
    expect((await drs.usage()).stored).toEqual({ total: book.length, originals: book.length, converted: 0, parts: 0 });
    await expect.poll(() => readdir(join(dataDir, "blobs", "converted")).catch(() => [])).toEqual([]);
  });

  test("requests are counted, those of this run a little later, and kept over a restart", async () => {
    const before = (await drs.usage()).requestsThisMonth;
    for (let count = 0; count < 7; count++) await drs.jobs.page();
    await expect(drs.datasets.get("ds_none")).rejects.toMatchObject({ status: 404 });
    await server.close();
    await start();
    const after = (await drs.usage()).requestsThisMonth;
    expect(after).toBeGreaterThanOrEqual(before + 9);
    // A call without a key has no workspace to count for.
    await expect(createDrs({ server: server.url, apiKey: "drs_none" }).usage()).rejects.toMatchObject({ status: 401 });
    await server.close();
    await start();
    const { requestsThisMonth, requestsByMonth } = await drs.usage();
    expect([requestsThisMonth, requestsByMonth.length]).toEqual([after + 1, 12]);
    expect(requestsByMonth.at(-1)).toEqual({ month: new Date().toISOString().slice(0, 7), requests: after + 1 });
  });

  test("days that were written down are told, those before are unknown", async () => {
    const { workspaceId } = await drs.usage();
    await server.close();
    const database = new DatabaseSync(join(dataDir, "metadata.sqlite"), { timeout: 5_000 });
    const now = Date.now();
    const dayBefore = (days: number): string => new Date(now - days * 86_400_000).toISOString().slice(0, 10);
    database
      .prepare(
        `insert into "dailyUsage" ("workspaceId", "day", "storedBytes", "documents", "pages") values (?, ?, 100, 2, 30)`,
      )
      .run(workspaceId, dayBefore(2));
    database.close();
    await start();
    const { history, stored, documents, pages } = await drs.usage({ historyDays: 30 });
    expect(history[0]).toEqual({
      day: dayBefore(2),
      storedBytes: 100,
      documents: 2,
      pages: 30,
      organisationStoredBytes: 100,
    });
    expect(history.at(-1)).toMatchObject({ storedBytes: stored.total, documents, pages });
    expect((await drs.usage({ historyDays: 2 })).history).toHaveLength(1);
    const env = { DRS_API_KEY: server.credentials.apiKey, DRS_SERVER: server.url };
    const { code, stdout } = await runCaptured(["usage", "--days", "7"], env);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`known from ${dayBefore(2)} on\\n  stored      ····[▁▂]·█`)),
    ]);
  });

  test("drs usage prints it for people and for programs", async () => {
    await drs.plans.set("shelf", { maxStorageBytes: 2 ** 20, maxPages: 1 });
    const { apiKey } = await drs.organisations.create({ name: "Shelf", plan: "shelf" });
    const shelf = createDrs({ server: server.url, apiKey });
    const file = new Blob([book, new Uint8Array(900_000)]);
    await shelf.datasets.upload(file, { fileName: "book.pdf" });
    const env = { DRS_SERVER: server.url, DRS_API_KEY: apiKey };
    const told = await runCaptured(["usage"], env);
    expect(told).toMatchObject({ code: 0, stderr: "" });
    expect(told.stdout).toMatch(/^documents +1, with [012] pages?$/m);
    expect(told.stdout).toMatch(/^stored +\d+(\.\d)? kB$/m);
    expect(told.stdout).toMatch(/^storage +\d+(\.\d)? kB of 1 MB \(8\d %\)$/m);
    expect(told.stdout).toMatch(/^plan +shelf$/m);
    expect(told.stdout).toMatch(/^ +at most +1 page a document$/m);
    const { stdout } = await runCaptured(["usage", "--json"], env);
    expect(JSON.parse(stdout)).toMatchObject({ plan: "shelf", documents: 1, stored: { originals: file.size } });
  });
});
