import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const count = 24;
const report = Array.from({ length: count }, (_, index) => ({
  text:
    index === 10
      ? "Turbines: the revenue of the turbines in all regions"
      : `Chapter ${index + 1} of the report on wind farms`,
}));
const handbook = Array.from({ length: 12 }, (_, index) => ({ text: `Rule ${index + 1} for visitors of the aquarium` }));

describe("pages that a question names", () => {
  let server: TestServer;
  let drs: Drs;
  let reportId: string;

  beforeAll(async () => {
    server = await startServer();
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    reportId = await add(report, "zephyr-windfarms.pdf");
    await add(handbook, "aquarium-handbook.pdf");
  });
  afterAll(() => server.remove());

  async function add(pages: readonly { readonly text: string }[], fileName: string): Promise<string> {
    const job = await drs.datasets.upload(makePdf({ pages }), { fileName, vectorize: true });
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS", failures: [] });
    return job.datasetId;
  }

  const inReport = async (question: string): Promise<readonly number[]> =>
    (await drs.search(question, { datasetIds: [reportId], limit: 4 })).map(({ col }) => col);

  test.each<[string, readonly number[]]>([
    ["What does page 17 say about the revenue of turbines?", [17]],
    ["revenue of turbines on the last page", [count]],
    ["revenue of turbines on the cover page", [1]],
    ["turbines, pages 3-5", [3, 4, 5]],
  ])("come first in one document: %s", async (question, pages) => {
    const found = await inReport(question);
    expect(new Set(found.slice(0, pages.length))).toEqual(new Set(pages));
    // The page with the words of the question follows.
    expect(found).toContain(11);
  });

  test("and do nothing if the document has no such page", async () => {
    expect((await inReport("revenue of turbines on page 170"))[0]).toBe(11);
  });

  test("come first among all documents if the question names theirs", async () => {
    const [first] = await drs.search("turbines on page 17 of zephyr-windfarms.pdf", { limit: 5 });
    expect([first?.fileName, first?.col]).toEqual(["zephyr-windfarms.pdf", 17]);
  });

  test("say nothing among all documents otherwise", async () => {
    const found = await drs.search("revenue of turbines on page 7", { limit: 1 });
    expect(found[0]).toMatchObject({ fileName: "zephyr-windfarms.pdf", col: 11 });
  });

  test("are explained, and all contributions add up to the score", async () => {
    const [first] = await drs.search("turbines on page 17", { datasetIds: [reportId], explain: true, limit: 1 });
    const [part] = first?.explanation?.parts ?? [];
    if (part === undefined) expect.unreachable("no explanation");
    expect(part.features).toContainEqual({ name: "namedPage", of: "page", value: 17, logOdds: expect.any(Number) });
    const gains = [...part.spaces, ...part.features].map(({ logOdds }) => logOdds);
    expect(gains.reduce((sum, gain) => sum + gain, part.base + part.likeness)).toBeCloseTo(part.logOdds, 9);
    expect(first?.score).toBeCloseTo(part.probability, 9);
  });
});
