import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { drawnPage, prose, write } from "../../server/embedding/ocr/testing/drawn-page.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const orchard = [
  "Apples and pears are picked before the first frost",
  "and stored on straw in a cool cellar. Every tree is",
  "pruned in winter, when the sap is low and branches",
  "are bare. Wasps and starlings take their share, and",
  "the rest is pressed for cider in the old barn near",
  "the river, where neighbours come to help and taste.",
];
const railway = [
  "The night express leaves the northern terminus with",
  "nine carriages and a dining car. Signals are tested",
  "each evening by the station staff, who write delays",
  "and broken points into a register. Passengers with",
  "bicycles travel in the last carriage, next to parcels",
  "and newspapers that are thrown out at small halts.",
];
const texts = [orchard, prose, railway];
/** Words that each page alone has, and that no answer of the service may repeat. */
const secrets = ["cider", "quarantine", "bicycles"];

/** Pages that are pictures and nothing else, as a scanner makes them at 150 dots per inch. */
const pages = texts.map((lines) => {
  const { width, height, data } = drawnPage(1240, 1754, (pen) => {
    pen.rotate(0.01);
    write(pen, lines, { left: 150, top: 180, size: 25 });
  });
  const pixel = (x: number, y: number) => {
    const grey = data[y * width + x] ?? 255;
    return [grey, grey, grey] as const;
  };
  return { picture: { width, height, pixel } };
});

describe("a document of scans", () => {
  let server: TestServer;
  let drs: Drs;
  let datasetId: string;
  let jobId: string;

  beforeAll(async () => {
    server = await startServer();
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const job = await drs.datasets.upload(makePdf({ pages }), { fileName: "scans.pdf", vectorize: true });
    ({ id: jobId, datasetId } = job);
    expect(await drs.jobs.wait(jobId)).toMatchObject({ status: "SUCCESS", failures: [] });
  });
  afterAll(() => server.remove());

  test.each([
    ["apples pears cider", 1],
    ["lighthouse captain vessel", 2],
    ["night express passengers", 3],
  ])("is found by its words: %s", async (question, page) => {
    const [first] = await drs.search(question);
    expect(first).toMatchObject({ datasetId, col: page });
  });

  test("is never quoted: no answer has its words, nor has the database", async () => {
    const get = async (path: string): Promise<string> => {
      const response = await fetch(`${server.url}${path}`, { headers: { "x-api-key": server.credentials.apiKey } });
      expect(response.status).toBe(200);
      return response.text();
    };
    const embeddings = await Array.fromAsync(drs.items.list(datasetId, { row: "embedding_image" }));
    expect(embeddings).toHaveLength(texts.length);
    const answers = await Promise.all([
      get("/v1/datasets"),
      get(`/v1/datasets/${datasetId}`),
      get(`/v1/datasets/${datasetId}/items?limit=100`),
      get("/v1/jobs"),
      get(`/v1/jobs/${jobId}`),
      drs.search("lighthouse captain vessel").then((results) => JSON.stringify(results)),
      ...embeddings.map(async ({ share }) => (await fetch(share.url)).text()),
    ]);
    const names = await readdir(server.dataDir);
    const databases = names.filter((name) => name.startsWith("metadata.sqlite"));
    expect(databases).not.toEqual([]);
    for (const name of databases) answers.push(await readFile(join(server.dataDir, name), "latin1"));
    for (const answer of answers) {
      for (const secret of secrets) expect(answer.toLowerCase().includes(secret)).toBe(false);
    }
  });
});
