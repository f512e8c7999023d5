import { readFileSync } from "node:fs";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { corpusFile, corpusReason, hasCorpus } from "../service/corpus.ts";
import { startServer, type TestServer } from "../service/start.ts";

const hostile = ["bomb_double_3g", "bomb_giant", "bomb_ops_200m", "issue16263", "issue6010_2", "poppler-395-0-fuzzed"];

describe.skipIf(!hasCorpus)(`hostile PDFs, queued at once${corpusReason}`, () => {
  let server: TestServer;
  let drs: Drs;

  beforeAll(async () => {
    server = await startServer({ pageTimeoutMs: "10000" });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  });
  afterAll(() => server.remove());

  test("each ends in a clear error or in SUCCESS with named pages, and the good document behind them finishes", async () => {
    const jobs = await Promise.all(
      hostile.map(async (name) =>
        drs.datasets.upload(readFileSync(corpusFile(`bad/${name}.pdf`)), { fileName: name, vectorize: true }),
      ),
    );
    const good = await drs.datasets.upload(makePdf({ pages: [{ text: "A good document about beekeeping" }] }), {
      fileName: "good.pdf",
      vectorize: true,
    });
    const ends = await Promise.all([...jobs, good].map(({ id }) => drs.jobs.wait(id)));
    for (const end of ends) {
      expect(["SUCCESS", "ERROR"]).toContain(end.status);
      if (end.status === "ERROR") expect(end.statusText).toMatch(/\w+ \w+/);
      if (end.status === "SUCCESS" && end.failures.length > 0) expect(end.statusText).toMatch(/could not be processed/);
      expect(end.statusText).not.toMatch(/internal error/);
    }
    expect(ends.at(-1)).toMatchObject({ status: "SUCCESS", failures: [] });
    expect((await drs.search("beekeeping"))[0]).toMatchObject({ datasetId: good.datasetId });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  }, 300_000);
});
