import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PackError } from "../pack-error.ts";
import type { OpenSpace } from "../pack.ts";
import type { Raster } from "../raster.ts";
import { type ModelSpace, modelSpace } from "./settings.ts";
import { openModelSpace } from "./space.ts";
import { openPackFiles } from "./tower.ts";
import { type GraphParts, onnxOf, type Value } from "./testing/onnx.ts";
import { type CaseName, pictures, spaceOf, writePack } from "./testing/packs.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-hostile-models-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function packOf(name: CaseName, files: Readonly<Record<string, Uint8Array | string>> = {}): Promise<string> {
  const packDir = await mkdtemp(join(folder, "pack-"));
  await writePack(packDir, name);
  for (const [file, content] of Object.entries(files)) await writeFile(join(packDir, file), content);
  return packDir;
}

/** The space of a case whose pack has other files. */
async function opened(name: CaseName, files: Readonly<Record<string, Uint8Array | string>>): Promise<OpenSpace> {
  return openModelSpace(openPackFiles(await packOf(name, files)), spaceOf(name));
}

const [picture = { width: 1, height: 1, channels: 3, data: new Uint8Array(3) } satisfies Raster] = pictures;
const page = { words: "", picture };

const pixels: Value = { name: "pixel_values", type: "float32", shape: ["pictures", 3, 14, 14] };
/** A vision tower of `siglip-like` that multiplies with the given weights. */
function vision(values: number[], width: number, output: Partial<Value> = {}, last = "Identity"): GraphParts {
  return {
    inputs: [pixels],
    outputs: [{ name: "image_embeds", type: "float32", shape: ["pictures", "width"], ...output }],
    weights: [{ name: "look", type: "float32", shape: [588, width], values }],
    nodes: [
      { op: "Flatten", inputs: ["pixel_values"], outputs: ["flat"] },
      { op: "MatMul", inputs: ["flat", "look"], outputs: ["product"] },
      { op: last, inputs: ["product"], outputs: ["image_embeds"] },
    ],
  };
}
const filled = (width: number, value: number): number[] => Array.from({ length: 588 * width }, () => value);

describe("a manifest", () => {
  const changed = (name: CaseName, path: readonly string[], value: unknown): unknown => {
    const space: unknown = structuredClone(spaceOf(name));
    let at = space as Record<string, unknown>;
    for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
    at[path.at(-1) ?? ""] = value;
    return space;
  };
  const vision = ["towers", "vision"];
  const text = ["towers", "text"];

  it.each<[string, CaseName, readonly string[], unknown, RegExp]>([
    ["leaves its folder", "siglip-like", [...vision, "graph"], "../../other.onnx", /relative path inside the pack/],
    ["names an absolute file", "siglip-like", [...text, "text", "tokenizer"], "/etc/passwd", /relative path inside/],
    ["has weights elsewhere", "colpali-like", ["towers", "query", "data"], ["a/../../b"], /relative path inside/],
    ["wants pictures without end", "siglip-like", [...vision, "image", "drawn"], 1e6, /drawn|Too big/],
    ["wants no pictures at all", "siglip-like", [...vision, "image", "size", "width"], 0, /Too small/],
    ["divides by nothing", "siglip-like", [...vision, "image", "std"], [0, 1, 1], /must be positive/],
    ["crops more than there is", "clip-like", [...vision, "image", "fit", "side"], 15, /smaller than the size cut out/],
    ["tiles into oblongs", "colpali-like", ["towers", "document", "image", "size", "width"], 16, /tiles are square/],
    ["reads books at once", "siglip-like", [...text, "text", "maxTokens"], 1e9, /Too big/],
    ["has vectors without end", "siglip-like", ["dimensions"], 1e6, /Too big/],
    ["has other vectors than its graphs", "siglip-like", ["dimensions"], 5, /gives no vectors of 5 dimensions/],
    ["lengthens vectors", "nomic-like", ["towers", "query", "output", "truncations"], [4, 9], /not be longer/],
    ["names no tower for queries", "siglip-like", ["query"], {}, /needs text or image/],
    ["embeds nothing", "siglip-like", ["page"], {}, /needs words or picture/],
    [
      "asks a tower that is not there",
      "siglip-like",
      ["query", "text", "tower"],
      "third",
      /not one of the space's towers/,
    ],
    ["asks the wrong tower", "siglip-like", ["query", "text", "tower"], "vision", /vision takes no text/],
    ["mixes one vector and many", "siglip-like", ["scoring"], "max-sim", /multi goes with/],
    ["has a tower for nothing", "siglip-like", [...vision, "image"], undefined, /needs either text or image/],
    ["has parts that do not fit", "nomic-like", ["page", "words", "parts", "tokens"], 500, /more than the tower's/],
    [
      "wants tensors without end",
      "colpali-like",
      ["towers", "query", "constants"],
      [{ input: "x", shape: [65536, 65536, 65536], value: 0 }],
      /is too large/,
    ],
    ["forgets its placeholders", "colpali-like", ["towers", "document", "prompt", "tile"], "tile", /tokens/],
    ["has an unknown field", "siglip-like", [...vision, "script"], "run.js", /script/],
  ])("that %s is refused", (_, name, path, value, message) => {
    const { error } = modelSpace.safeParse(changed(name, path, value));
    expect(error?.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ")).toMatch(message);
  });

  it("of each family is read as it is written", () => {
    const space: ModelSpace = spaceOf("siglip-like");
    expect(modelSpace.parse(space)).toEqual(space);
  });
});

describe("a graph", () => {
  it.each<[string, Uint8Array, RegExp]>([
    ["is none", Buffer.from("this is no graph"), /is not a graph that can be run/],
    [
      "has other inputs",
      onnxOf({ ...vision(filled(6, 1), 6), inputs: [{ ...pixels, name: "images" }], nodes: [] }),
      /is not a graph that can be run|has the inputs images/,
    ],
    ["gives vectors of another length", onnxOf(vision(filled(5, 1), 5, { shape: ["pictures", 5] })), /\[pictures, 5\]/],
    [
      "gives a vector for each token",
      onnxOf({
        ...vision(filled(6, 1), 6),
        outputs: [{ name: "image_embeds", type: "float32", shape: ["pictures", 14, 14] }],
        nodes: [
          {
            op: "ReduceMean",
            inputs: ["pixel_values"],
            outputs: ["image_embeds"],
            attributes: { axes: [1], keepdims: 0 },
          },
        ],
      }),
      /the manifest wants 2 dimensions/,
    ],
    [
      "gives whole numbers",
      onnxOf({
        ...vision(filled(6, 1), 6),
        outputs: [{ name: "image_embeds", type: "int64", shape: ["pictures", 6] }],
        nodes: [
          { op: "Flatten", inputs: ["pixel_values"], outputs: ["flat"] },
          { op: "MatMul", inputs: ["flat", "look"], outputs: ["product"] },
          { op: "Cast", inputs: ["product"], outputs: ["image_embeds"], attributes: { to: 7 } },
        ],
      }),
      /in no floating-point numbers/,
    ],
    [
      "keeps its weights outside of the pack",
      onnxOf({
        ...vision([], 6),
        weights: [
          {
            name: "look",
            type: "float32",
            shape: [588, 6],
            values: [],
            external: { location: "../../../etc/passwd", length: 100 },
          },
        ],
      }),
      /is not a graph that can be run/,
    ],
  ])("that %s makes the pack unusable", async (_, graph, message) => {
    const space = await opened("siglip-like", { "vision.onnx": graph });
    await expect(space.prepare?.("page")).rejects.toThrow(PackError);
    await expect(space.page(page)).rejects.toThrow(message);
    // Work that does not need it continues.
    expect(await space.query({ text: "ports" })).toHaveLength(1);
    await space.close();
  });

  it.each<[string, Uint8Array, RegExp]>([
    ["values that are no numbers", onnxOf(vision(filled(6, NaN), 6)), /gives values for it that are not numbers/],
    ["values without end", onnxOf(vision(filled(6, 3e38), 6)), /gives values for it that are not numbers/],
    ["other shapes than it says", onnxOf(vision(filled(6, 1), 6, {}, "Transpose")), /in the shape \[6, 1\] for it/],
  ])("that gives %s fails the page", async (_, graph, message) => {
    const space = await opened("siglip-like", { "vision.onnx": graph });
    await expect(space.page(page)).rejects.toMatchObject({
      kind: "unprocessable",
      message: expect.stringMatching(message),
    });
    await space.close();
  });

  it("that gives zeros gives nothing", async () => {
    const space = await opened("siglip-like", { "vision.onnx": onnxOf(vision(filled(6, 0), 6)) });
    expect(await space.page(page)).toEqual([]);
    await space.close();
  });
});

describe("a tokenizer", () => {
  it("that is none makes the pack unusable", async () => {
    for (const text of ["{", "{}", '{"model":{"type":"Other"}}', '{"model":{"type":"WordPiece"}}']) {
      const space = await opened("plain-mean", { "words.json": text });
      await expect(space.query({ text: "ports" })).rejects.toThrow(/is not a tokenizer that this version/);
    }
  });

  it("with more words than the graph fails the text", async () => {
    const tokenizer = {
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: { type: "Whitespace" },
      post_processor: null,
      decoder: null,
      model: {
        type: "WordPiece",
        unk_token: "[UNK]",
        vocab: { "[UNK]": 0, ports: 70_000 },
        max_input_chars_per_word: 100,
        continuing_subword_prefix: "##",
      },
    };
    const space = await opened("siglip-like", { "pieces.json": JSON.stringify(tokenizer) });
    await expect(space.query({ text: "ports" })).rejects.toMatchObject({
      kind: "unprocessable",
      message: expect.stringMatching(/the model's graph text\.onnx fails on it/),
    });
    await space.close();
  });

  it("that does not know the placeholder makes the pack unusable", async () => {
    const settings = spaceOf("colpali-like");
    const document = settings.towers["document"];
    if (document?.prompt === undefined) throw new Error("there is no prompt");
    const prompt = { ...document.prompt, placeholder: { token: "<picture>", perTile: 4 } };
    const space = openModelSpace(openPackFiles(await packOf("colpali-like")), {
      ...settings,
      towers: { ...settings.towers, document: { ...document, prompt } },
    });
    await expect(space.page(page)).rejects.toThrow(/does not know <picture> as one token/);
    await space.close();
  });
});

describe("a picture", () => {
  const strip = (width: number, height: number): Raster => ({
    width,
    height,
    channels: 3,
    data: Uint8Array.from({ length: width * height * 3 }, (_, at) => (at * 31) % 251),
  });

  it.each<CaseName>(["siglip-like", "clip-like", "padded-bgr", "colpali-like"])(
    "however long or small has vectors in %s",
    async (name) => {
      const space = openModelSpace(openPackFiles(await packOf(name)), spaceOf(name));
      for (const [width, height] of [
        [4096, 1],
        [1, 4096],
        [2, 1],
        [900, 700],
      ] as const) {
        const [found] = await space.page({ words: "", picture: strip(width, height) });
        expect(found?.kind === "dense" && found.vectors.every((vector) => vector.every(Number.isFinite))).toBe(true);
      }
      await space.close();
    },
  );
});

describe("a text", () => {
  it.each<[string, string]>([
    ["a megabyte without a space", "ab9+/".repeat(200_000)],
    ["a megabyte of words", "harbour lights ".repeat(70_000)],
    ["halves of surrogate pairs", "\ud800 ports \udfff".repeat(50)],
    ["control characters", Array.from({ length: 160 }, (_, code) => String.fromCharCode(code)).join("")],
    ["the model's own special tokens", "<image>ports<image></s>[CLS]lights[SEP]".repeat(20)],
    ["scripts that it does not know", "微分方程式 と क्षेत्र".repeat(30)],
  ])("of %s is embedded", async (_, words) => {
    for (const name of ["nomic-like", "jina-clip-like", "colpali-like"] as const) {
      const space = openModelSpace(openPackFiles(await packOf(name)), spaceOf(name));
      const found =
        name === "colpali-like" ? await space.query({ text: words }) : await space.page({ words, picture: undefined });
      expect(found).toHaveLength(1);
      await space.close();
    }
  });
});
