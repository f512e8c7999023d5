import { createDrs, type Drs } from "@drs/client";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startCommand } from "../service/command.ts";
import { countEmbedded } from "../service/samples.ts";
import { startServer, type TestServer } from "../service/start.ts";

const words = ["walrus", "pelican", "otter", "lynx"];
const document = makePdf({
  pages: [...words.map((word) => ({ text: `A page about the ${word}, and nothing else.` })), { text: "" }],
});

describe("features of pages", () => {
  let server: TestServer;
  let drs: Drs;
  let datasetId: string;
  beforeAll(async () => {
    server = await startServer({ workers: "1" });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    ({ datasetId } = await upload());
  }, 120_000);
  afterAll(() => server.remove());

  async function upload() {
    const { id, datasetId } = await drs.datasets.upload(document, { fileName: "animals.pdf", vectorize: true });
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [] });
    return { datasetId };
  }

  async function parts(id: string): Promise<string[]> {
    const folder = join(server.dataDir, "blobs", "features", id);
    const paths = await readdir(folder, { recursive: true }).catch(() => []);
    return paths.filter((path) => path.endsWith(".arrow")).map((path) => join(folder, path));
  }

  const answers = () =>
    Promise.all(
      words.map(async (word) => {
        const found = await drs.search(word);
        return found.map(({ datasetId, col, score }) => ({ datasetId, col, score }));
      }),
    );

  const embedded = () => countEmbedded(server.url);

  async function isWhole(): Promise<boolean> {
    return (await drs.search("walrus")).incompleteDatasetIds.length === 0;
  }

  test("make a lost index anew: every answer is as before, and no page is embedded again", async () => {
    expect(await parts(datasetId)).toHaveLength(1);
    const before = await answers();
    expect(before.map(([best]) => best?.col)).toEqual([1, 2, 3, 4]);
    const pages = await embedded();
    await rm(join(server.dataDir, "vectors"), { recursive: true });
    expect(await isWhole()).toBe(false);
    await expect.poll(isWhole, { timeout: 60_000 }).toBe(true);
    expect(await answers()).toEqual(before);
    expect(await embedded()).toBe(pages);
    expect(await parts(datasetId)).toHaveLength(1);
  });

  test("are computed again where they are lost or damaged", async () => {
    const before = await answers();
    const [part = ""] = await parts(datasetId);
    const bytes = await readFile(part);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(part, bytes);
    const pages = await embedded();
    await rm(join(server.dataDir, "vectors"), { recursive: true });
    expect(await isWhole()).toBe(false);
    await expect.poll(isWhole, { timeout: 60_000 }).toBe(true);
    expect(await answers()).toEqual(before);
    // With the blank one.
    await expect.poll(embedded).toBe(pages + words.length + 1);
    await expect.poll(() => parts(datasetId), { timeout: 30_000 }).not.toContain(part);
    expect(await parts(datasetId)).toHaveLength(1);
  });

  // After the others: until the index is maintained, rows that were replaced still count in how rare words are.
  test("are replaced where pages are embedded again", async () => {
    const before = await parts(datasetId);
    const flags = ["index", "rebuild", "--dataset", datasetId, "--data-dir", server.dataDir];
    expect(await startCommand(flags, {}).outcome).toMatchObject({ code: 0 });
    await expect.poll(() => parts(datasetId), { timeout: 30_000 }).toHaveLength(1);
    expect(before).not.toContain((await parts(datasetId))[0]);
  });

  test("go with their dataset", async () => {
    const other = await upload();
    expect(await parts(other.datasetId)).toHaveLength(1);
    await drs.datasets.delete(other.datasetId);
    await expect.poll(() => parts(other.datasetId), { timeout: 60_000 }).toEqual([]);
  });
});
