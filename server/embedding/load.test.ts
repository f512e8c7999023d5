import { cp, mkdtemp, rm, stat, truncate, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadPack, readManifest, verifyPack } from "./load.ts";
import type { LoadedPack } from "./pack.ts";
import { packRanking } from "./pack-ranking.ts";
import { resolvePackDir } from "./packs.ts";
import { drawPage } from "./picture/testing/draw-page.ts";

const builtin = resolvePackDir("builtin");
let pack: LoadedPack;

beforeAll(async () => {
  pack = await loadPack(builtin);
});
afterAll(() => pack.close());

async function queryVector(text: string): Promise<Float32Array> {
  const part = (await pack.embedQuery({ text })).find(({ space }) => space === "text");
  const vector = part?.kind === "dense" ? part.vectors[0] : undefined;
  if (vector === undefined) throw new Error("no vector");
  return vector;
}

async function likeness(a: string, b: string): Promise<number> {
  const other = await queryVector(b);
  return (await queryVector(a)).reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}

describe("the built-in pack", () => {
  it("has the files that its manifest says", async () => {
    await expect(verifyPack(builtin)).resolves.toMatchObject({ id: "builtin" });
  });

  it("is described without loading a graph", async () => {
    const inUse = packRanking(await readManifest(builtin));
    expect(inUse.spaces.map(({ name, kind }) => [name, kind])).toEqual([
      ["words", "lexical"],
      ["text", "dense"],
      ["picture", "dense"],
      ["kinds", "dense"],
    ]);
    expect(inUse.spaces.every((space) => space.pack === inUse.id)).toBe(true);
    expect(inUse.spaces.map(({ name }) => name)).toContain(inUse.itemSpace);
  });

  it("gives the same numbers everywhere", async () => {
    const vector = await queryVector("numerical solution of differential equations");
    const expected = [0.0005933, -0.0259613, -0.0373954, -0.0248317, 0.045263, 0.0442412];
    expected.forEach((value, index) => expect(vector[index]).toBeCloseTo(value, 5));
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  });

  it("puts texts on one subject closer than texts on two", async () => {
    const near = await likeness("numerical solution of differential equations", "solve equations");
    const far = await likeness("numerical solution of differential equations", "recipe for apple pie");
    expect(near).toBeGreaterThan(far + 0.3);
  });

  it("puts texts in a script without training closer the more letters they share", async () => {
    expect(await likeness("微分方程式の解法", "方程式")).toBeGreaterThan(
      (await likeness("微分方程式の解法", "東京湾")) + 0.3,
    );
  });

  it("embeds a page in every space, a long one also by its parts", async () => {
    const words = Array.from({ length: 400 }, (_, index) => (index < 200 ? "harbour ships" : "matrix algebra")).join(
      " ",
    );
    const spaces = await pack.embedPage({ words, picture: drawPage(1) });
    expect(spaces.map(({ space }) => space)).toEqual(["words", "text", "picture", "kinds"]);
    const text = spaces.find(({ space }) => space === "text");
    if (text?.kind !== "dense") throw new Error("no vectors");
    expect(text.vectors.length).toBeGreaterThan(4);
    const query = await queryVector("matrix algebra");
    const scores = text.vectors.map((vector) => vector.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0));
    expect(scores.at(-1)).toBeGreaterThan((scores[0] ?? 1) + 0.1);
    expect(scores[1]).toBeLessThan(scores[0] ?? 0);
  });

  it("has nothing to say about a blank page, nor about words of unknown script", async () => {
    const picture = { width: 300, height: 400, channels: 1, data: new Uint8Array(120_000).fill(255) } as const;
    expect(await pack.embedPage({ words: " \n ", picture })).toEqual([]);
    const spaces = await pack.embedQuery({ text: "𒀀𒀁𒂊" });
    expect(spaces).toEqual([{ space: "words", kind: "lexical", text: "𒀀𒀁𒂊" }]);
  });

  it("asks for kinds of pages only where a query names one", async () => {
    const spacesOf = async (text: string): Promise<string[]> =>
      (await pack.embedQuery({ text })).map(({ space }) => space);
    expect(await spacesOf("table of harbour fees")).toEqual(["words", "text", "kinds"]);
    expect(await spacesOf("harbour fees")).toEqual(["words", "text"]);
  });
});

describe("a damaged pack", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-pack-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function copyOf(name: string): Promise<string> {
    const copy = join(folder, name);
    await cp(builtin, copy, { recursive: true });
    return copy;
  }

  const sizeOf = async (file: string): Promise<number> => (await stat(join(builtin, file))).size;

  it("without a manifest says what a pack is", async () => {
    await expect(loadPack(folder)).rejects.toThrow(/no readable pack\.json in .*; a model pack is a folder/);
  });

  it("without a file names it", async () => {
    const copy = await copyOf("missing");
    await unlink(join(copy, "tokenizer.json"));
    await expect(loadPack(copy)).rejects.toThrow(/tokenizer\.json of the model pack .* cannot be read/);
  });

  it("with a file cut short is not loaded", async () => {
    const copy = await copyOf("short");
    await truncate(join(copy, "text.onnx"), 1000);
    await expect(loadPack(copy)).rejects.toThrow(/has 1000 bytes where its manifest says 22656620/);
  });

  it("with a file of other content does not pass verification", async () => {
    const copy = await copyOf("changed");
    await writeFile(join(copy, "tokenizer.json"), Buffer.alloc(await sizeOf("tokenizer.json"), "{"));
    await expect(verifyPack(copy)).rejects.toThrow(/tokenizer\.json of the model pack .* has been changed/);
    await expect(loadPack(copy)).rejects.toThrow(/is not a tokenizer that this version of drs can load/);
  });

  it("with a graph that is none says so", async () => {
    const copy = await copyOf("graph");
    await writeFile(join(copy, "text.onnx"), Buffer.alloc(await sizeOf("text.onnx")));
    await expect(loadPack(copy)).rejects.toThrow(/is not a graph that can be run/);
  });

  it("whose manifest names other inputs says which the graph has", async () => {
    const copy = await copyOf("inputs");
    const text = JSON.stringify(await readManifest(copy)).replace('"ids":"ids"', '"ids":"input_ids"');
    await writeFile(join(copy, "pack.json"), text);
    await expect(loadPack(copy)).rejects.toThrow(/has the inputs ids, weights .* manifest names input_ids, weights/);
  });
});
