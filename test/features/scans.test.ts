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
const beehives = [
  "Honey is taken from the hives in late summer, when",
  "clover has finished flowering. Smoke calms the bees",
  "while wooden frames are lifted out and wax is cut,",
  "and a veil of fine mesh protects the face and neck.",
  "Jars are filled in the kitchen of the monastery and",
  "carried to market by donkeys before the first snow.",
];
const texts = [orchard, prose, railway, beehives];
/** Words that each page alone has, and that no answer of the service may repeat. */
const secrets = ["cider", "quarantine", "bicycles", "monastery"];

/** A text layer whose fonts give each letter another one's code, as where they only number their glyphs; not to be seen. */
const wrongLayer = {
  text: beehives.map((line) => line.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 29 || 32))),
  fontSize: 2,
  color: [1, 1, 1],
} as const;

/** Pages as a scanner makes them at 150 dots per inch: pictures, of which the last one has a text layer that is wrong. */
const pages = texts.map((lines, at) => {
  const { width, height, data } = drawnPage(1240, 1754, (pen) => {
    pen.rotate(0.01);
    write(pen, lines, { left: 150, top: 180, size: 25 });
  });
  const pixel = (x: number, y: number) => {
    const grey = data[y * width + x] ?? 255;
    return [grey, grey, grey] as const;
  };
  const layer = at === 3 ? { ...wrongLayer, text: wrongLayer.text.join("\n").replace(/[^\n -~]/g, "!") } : {};
  return { picture: { width, height, pixel }, ...layer };
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
    ["honey and wax from the hives", 4],
  ])("is found by its words: %s", async (question, page) => {
    const [first] = await drs.search(question);
    expect(first).toMatchObject({ datasetId, col: page });
  });

  test("has the text of its own layer, which scans do not have", async () => {
    const found = await drs.search("lighthouse captain vessel", { datasetIds: [datasetId], include: ["text"] });
    const texts = new Map(found.map(({ col, text }) => [col, text]));
    expect([1, 2, 3].map((page) => texts.get(page))).toEqual(["", "", ""]);
    expect(texts.get(4)).toMatch(/\S/);
    expect(texts.get(4)).not.toMatch(/honey|monastery/i);
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
      get(`/v1/datasets/${datasetId}/items?limit=100&include=text`),
      drs
        .search("lighthouse captain vessel", { include: ["text"], neighbours: 2 })
        .then((results) => JSON.stringify(results)),
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
