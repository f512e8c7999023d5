import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { filesOf, type ModelSpace } from "../../server/embedding/model/settings.ts";
import { onnxOf } from "../../server/embedding/model/testing/onnx.ts";
import { type CaseName, spaceOf, writePack } from "../../server/embedding/model/testing/packs.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FixturePage, makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

/** Makes a pack of the tiny models of some families. No words are indexed: only the models can find anything. */
async function makePack(folder: string, names: readonly CaseName[]): Promise<void> {
  const spaces: ModelSpace[] = [];
  for (const name of names) {
    await writePack(folder, name);
    spaces.push({ ...spaceOf(name), name });
  }
  const files = [...new Set(spaces.flatMap(filesOf))].map(async (path) => {
    const content = await readFile(join(folder, path));
    return { path, bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
  });
  const weights = names.map((name) => [name, { curve: "linear", weight: 1 }]);
  const manifest = {
    format: 1,
    id: "tiny",
    version: "1.0.0",
    licence: "Apache-2.0",
    languages: ["en"],
    description: "",
    files: await Promise.all(files),
    spaces,
    itemSpace: names[0],
    fusion: [
      { spaces: Object.fromEntries(weights), weight: 1, odds: { offset: 0, slope: 1, prominence: 0 }, usual: 0 },
    ],
  };
  await writeFile(join(folder, "pack.json"), JSON.stringify(manifest));
}

const animals = ["heron", "otters", "lynx", "pelican", "walrus", "krill"];

/** Pages of coloured stripes, which even a tiny model can tell apart. */
const pages = Array.from({ length: 6 }, (_, page): FixturePage => {
  const pixel = (x: number, y: number): [number, number, number] => [
    (x * (page + 1) * 9) % 256,
    (y * (7 - page) * 11) % 256,
    (page * 50 + ((x * y) % 64)) % 256,
  ];
  return { picture: { width: 30, height: 42, pixel }, text: `page ${page + 1}, ${animals[page]}` };
});

async function vectorize(server: TestServer): Promise<{ id: string; datasetId: string }> {
  const form = new FormData();
  form.set("file", new Blob([makePdf({ pages })]), "stripes.pdf");
  const response = await fetch(`${server.url}/v1/vectorize`, {
    method: "POST",
    headers: { "x-api-key": server.credentials.apiKey },
    body: form,
  });
  const { data }: { data: { id: string; datasetId: string } } = JSON.parse(await response.text());
  return data;
}

describe("a pack of public models' families", () => {
  let folder: string;
  let server: TestServer;
  let drs: Drs;
  let datasetId: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-tiny-"));
    await makePack(folder, ["siglip-like", "colpali-like"]);
    server = await startServer({ model: folder });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const job = await vectorize(server);
    datasetId = job.datasetId;
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS", failures: [] });
  });
  afterAll(async () => {
    await server.remove();
    await rm(folder, { recursive: true });
  });

  test("finds each page by its shared picture", async () => {
    const items = await Array.fromAsync(drs.items.list(datasetId, { row: "jpg", sort: ["col"] }));
    expect(items).toHaveLength(6);
    for (const item of items) {
      const image = await (await fetch(item.share.url)).blob();
      const [first] = await drs.search({ image }, { limit: 1 });
      expect(first).toMatchObject({ col: item.col, row: "jpg" });
    }
  });

  test("ranks all pages by a question in words, in one vector and in many", async () => {
    const found = await drs.search({ text: "What is the total revenue?" });
    expect(new Set(found.map(({ col }) => col)).size).toBe(6);
    const scores = found.map(({ score }) => score);
    expect(scores.every((score) => score > 0 && score < 1)).toBe(true);
    expect(new Set(scores).size).toBeGreaterThan(1);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  test("phrases and words that are left out go by the text layer, since no words are indexed", async () => {
    const pagesFor = async (text: string) =>
      (await drs.search({ text })).map(({ col }) => col).toSorted((one, other) => one - other);
    expect(await pagesFor("stripes -otter -Krill")).toEqual([1, 3, 4, 5]);
    expect(await pagesFor('"page 3" stripes')).toEqual([3]);
    expect(await pagesFor('"page 9" stripes -lynx')).toEqual([1, 2, 4, 5, 6]);
  });

  test("serves the page's vector of the space that it names", async () => {
    const [item] = await Array.fromAsync(drs.items.list(datasetId, { row: "embedding_image", cols: ["1"] }));
    const answer: unknown = await (await fetch(item?.share.url ?? "")).json();
    expect(answer).toMatchObject({ model: "tiny@1.0.0", dimensions: 6 });
  });
});

describe("a pack whose model gives no numbers", () => {
  test("fails every page with a sentence that names the graph", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drs-nan-"));
    await makePack(folder, ["siglip-like"]);
    const broken = onnxOf({
      inputs: [{ name: "pixel_values", type: "float32", shape: ["pictures", 3, 14, 14] }],
      outputs: [{ name: "image_embeds", type: "float32", shape: ["pictures", 6] }],
      weights: [{ name: "look", type: "float32", shape: [588, 6], values: Array.from({ length: 3528 }, () => NaN) }],
      nodes: [
        { op: "Flatten", inputs: ["pixel_values"], outputs: ["flat"] },
        { op: "MatMul", inputs: ["flat", "look"], outputs: ["image_embeds"] },
      ],
    });
    await writeFile(join(folder, "vision.onnx"), broken);
    const manifest = await readFile(join(folder, "pack.json"), "utf8");
    const resized = manifest.replace(/("path":"vision.onnx","bytes":)\d+/, `$1${broken.length}`);
    await writeFile(join(folder, "pack.json"), resized);
    const server = await startServer({ model: folder });
    try {
      const drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
      const { id } = await vectorize(server);
      const job = await drs.jobs.wait(id);
      expect(job.failures.map(({ page }) => page)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(job.failures[0]?.reason).toMatch(
        /the model's graph vision\.onnx gives values for it that are not numbers/,
      );
    } finally {
      await server.remove();
      await rm(folder, { recursive: true });
    }
  });
});
