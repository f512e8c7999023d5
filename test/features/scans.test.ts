import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { drawnPage, prose, write } from "../../server/embedding/ocr/testing/drawn-page.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FixturePage, makePdf } from "../fixtures/pdf.ts";
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
const lighthouse = [
  "The lamp burns paraffin and is turned by a clockwork",
  "that has to be wound every four hours. Storm windows",
  "are cleaned with vinegar, the brass with fine ashes,",
  "and the log records each ship that passes the shoal",
];
const texts = [orchard, prose, railway, beehives, lighthouse];
/** Words that each page alone has, and that no answer of the service may repeat. */
const secrets = ["cider", "quarantine", "bicycles", "monastery", "vinegar"];

/** Text that a mail room lays over scans, of more letters than many pages have. */
const stamp = {
  text: "Envelope 7F3A9C2E-11B4-4D6A received by the mail room of the county\nScanned document, page 1 of 1",
};

/** A text layer whose fonts give each letter another one's code, as where they only number their glyphs; too small and pale to be read. */
const wrongLayer = {
  text: beehives.map((line) => line.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 29 || 32))),
  fontSize: 2,
  color: [0.6, 0.6, 0.6],
} as const;

/** Pages as a scanner makes them at 150 dots per inch: pictures, one with a text layer that is wrong, one with a stamp. */
const pages = texts.map((lines, at) => {
  const { width, height, data } = drawnPage(1240, 1754, (pen) => {
    pen.rotate(0.01);
    write(pen, lines, { left: 150, top: 180, size: 25 });
  });
  const pixel = (x: number, y: number) => {
    const grey = data[y * width + x] ?? 255;
    return [grey, grey, grey] as const;
  };
  const layers: Readonly<Record<number, Pick<FixturePage, "text">>> = {
    3: { ...wrongLayer, text: wrongLayer.text.join("\n").replace(/[^\n -~]/g, "!") },
    4: stamp,
  };
  const layer = layers[at] ?? {};
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
    ["clockwork lamp wound every four hours", 5],
    ["received by the mail room", 5],
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
