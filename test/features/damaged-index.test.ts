import { createDrs, type Drs } from "@drs/client";
import { readdir, readFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const words = ["walrus", "pelican", "otter", "lynx"];
const document = makePdf({ pages: words.map((word) => ({ text: `A page about the ${word}, and nothing else.` })) });

describe("an index that is damaged while it is used", () => {
  let server: TestServer;
  let drs: Drs;
  let datasetId: string;
  async function start(dataDir?: string): Promise<void> {
    server = await startServer({ workers: "1", ...(dataDir !== undefined && { dataDir }) });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  }
  async function restart(): Promise<void> {
    await server.close();
    await start(server.dataDir);
  }
  beforeAll(async () => {
    await start();
    const upload = await drs.datasets.upload(document, { fileName: "animals.pdf", vectorize: true });
    expect(await drs.jobs.wait(upload.id)).toMatchObject({ status: "SUCCESS" });
    ({ datasetId } = upload);
  }, 120_000);
  afterAll(() => server.remove());
  beforeEach(whole);

  const vectors = (): string => join(server.dataDir, "vectors");

  async function newestManifests(): Promise<string[]> {
    const tables = (await readdir(vectors())).filter((name) => name.endsWith(".lance"));
    return Promise.all(
      tables.map(async (table) => {
        const versions = join(vectors(), table, "_versions");
        // Their numbers count down, so that the newest comes first.
        const [newest = ""] = (await readdir(versions)).filter((name) => name.endsWith(".manifest")).toSorted();
        return join(versions, newest);
      }),
    );
  }

  async function dataFiles(): Promise<string[]> {
    const found = await readdir(vectors(), { recursive: true });
    return found.filter((path) => /\/data\/.*\.lance$/.test(path)).map((path) => join(vectors(), path));
  }

  /** Until every page is found first by its word, and no answer says that something is missing. */
  async function whole(): Promise<void> {
    await expect
      .poll(
        async () => {
          const answers = await Promise.all(words.map((word) => drs.search(word)));
          return answers.map((found, index) => [found[0]?.col === index + 1, found.incompleteDatasetIds]);
        },
        { timeout: 60_000, interval: 250 },
      )
      .toEqual(words.map(() => [true, []]));
    const seen = await drs.search("walrus", { limit: 100 });
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
  }

  async function answers(): Promise<unknown> {
    const response = await fetch(`${server.url}/v1/search`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": server.credentials.apiKey },
      body: JSON.stringify({ query: "walrus" }),
    });
    return [response.status, await response.json()];
  }
  const sayingSo = [
    200,
    expect.objectContaining({ success: true, incomplete: true, incompleteDatasetIds: [expect.stringMatching(/^ds_/)] }),
  ];

  test.each([
    [
      "the newest manifest of each table is empty, and no other is left",
      async () => {
        for (const path of await newestManifests()) {
          const folder = join(path, "..");
          for (const name of await readdir(folder)) await truncate(join(folder, name), 0);
        }
        // Searches go on with the version that is open, and have all of it; the next process finds none.
        const found = await Promise.all(words.map((word) => drs.search(word)));
        expect(found.map((hits) => [hits[0]?.col, hits.incompleteDatasetIds])).toEqual(
          words.map((_, at) => [at + 1, []]),
        );
        await restart();
        return "maybe noticed";
      },
    ],
    [
      "all data files are missing",
      async () => {
        const before = await drs.search("walrus", { row: "embedding_image" });
        await Promise.all((await dataFiles()).map((path) => rm(path)));
        // What is in memory answers in full; what reads the files notices.
        const now = await drs.search("walrus");
        if (now.incompleteDatasetIds.length === 0) {
          expect(now.map(({ col, score }) => [col, score])).toEqual(before.map(({ col, score }) => [col, score]));
        }
        // Vectors are given out of the features.
        const vector = await fetch(before[0]?.share?.url ?? "");
        expect(vector.ok).toBe(true);
        // The next process has nothing in memory, and may have looked before it is asked.
        await restart();
        return "maybe noticed";
      },
    ],
    [
      "the folder is missing",
      async () => {
        await rm(vectors(), { recursive: true });
        return "unnoticed";
      },
    ],
  ])(
    "%s: searches say what may be missing, and it is made again",
    async (_, damage) => {
      if ((await damage()) === "unnoticed") expect(await answers()).toEqual(sayingSo);
      await whole();
      const items = await drs.items.page(datasetId, { row: "embedding_image", limit: 100 });
      expect(items.total).toBe(words.length);
      expect(await readFile(join(server.dataDir, "blobs", "originals", datasetId))).toEqual(Buffer.from(document));
    },
    120_000,
  );

  test("vectorizing goes on beside the damage", async () => {
    for (const path of await dataFiles()) await truncate(path, 10);
    const upload = await drs.datasets.upload(makePdf({ pages: [{ text: "A page about the heron." }] }), {
      fileName: "birds.pdf",
      vectorize: true,
    });
    expect(await drs.jobs.wait(upload.id)).toMatchObject({ status: "SUCCESS", failures: [] });
    await whole();
    const [best] = await drs.search("heron");
    expect(best).toMatchObject({ datasetId: upload.datasetId, col: 1 });
    await drs.datasets.delete(upload.datasetId);
  }, 120_000);
});
