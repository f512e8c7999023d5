import { describe, expect, it } from "vitest";
import { parseManifest } from "./manifest.ts";
import { PackError } from "./pack-error.ts";

const graph = { file: "towers/text.onnx", inputs: { ids: "ids", weights: "weights" }, output: "embedding" };
const lexical = { kind: "lexical", name: "words" };
const text = {
  kind: "text",
  name: "text",
  dimensions: 4,
  tokenizer: { file: "tokenizer.json", byWord: true, unknownId: 0, maxTokens: 100 },
  prefixes: { query: "", document: "" },
  graph,
  weighting: "log-tf",
  normalisation: "l2",
  parts: { tokens: 8, step: 6, most: 3, whole: 2 },
};
const picture = { kind: "picture", name: "picture", dimensions: 640, extractor: "arrangement-2", longSide: 448 };
const odds = { offset: 0, slope: 1, prominence: 0 };
const sha256 = "0".repeat(64);
const weight = { curve: "linear", weight: 1 };
const good = {
  format: 1,
  id: "small",
  version: "1.0.0",
  licence: "Apache-2.0",
  languages: ["en"],
  description: "",
  files: [
    { path: "towers/text.onnx", bytes: 10, sha256 },
    { path: "tokenizer.json", bytes: 10, sha256 },
  ],
  spaces: [lexical, text, picture],
  itemSpace: "picture",
  fusion: [
    { spaces: { words: weight, text: weight }, weight: 1, odds, usual: 0 },
    { spaces: { picture: weight }, weight: 1, odds, usual: 0 },
  ],
};

const parse = (manifest: object) => parseManifest(JSON.stringify(manifest), "/packs/small");
const with_ = (change: object) => () => parse({ ...good, ...change });

const ranked = (ranker: object) => good.fusion.map((group, index) => (index === 0 ? { ...group, ranker } : group));

describe("the manifest of a pack", () => {
  it("may weigh some features of what pages say", () => {
    const manifest = { ...good, fusion: ranked({ space: "words", weights: { pairs: 1, length: -0.5 } }) };
    expect(parse(manifest)).toEqual(manifest);
  });

  it("is read as it is written", () => {
    expect(parse(good)).toEqual(good);
  });

  it.each([
    ["is not JSON", () => parseManifest("{", "/packs/small"), /pack\.json in \/packs\/small is not JSON/],
    ["has another format", with_({ format: 2 }), /format: is not the manifest format/],
    [
      "has a kind from the future",
      with_({ spaces: [{ kind: "image-tower", name: "x" }] }),
      /spaces\.0\.kind: "image-tower" is not supported; .* knows lexical, text, picture, kinds, model/,
    ],
    [
      "has a space without a kind",
      with_({ spaces: [{ name: "x" }] }),
      /spaces\.0\.kind: is missing; this version of drs knows/,
    ],
    [
      "has an unknown extractor",
      with_({ spaces: [lexical, text, { ...picture, extractor: "other" }] }),
      /spaces\.2\.extractor/,
    ],
    ["has an unknown field", with_({ licens: "MIT" }), /licens/],
    ["names a space twice", with_({ spaces: [lexical, text, picture, lexical] }), /two spaces have the same name/],
    [
      "uses a file it does not list",
      with_({ files: good.files.slice(1) }),
      /uses towers\/text\.onnx, which is not among/,
    ],
    [
      "reads with a file it does not list",
      with_({
        reader: {
          graph: { file: "towers/text.onnx", input: "lines", outputs: { letters: "l", likelihoods: "p" } },
          alphabet: "letters.json",
          lineHeight: 24,
          longSide: 2000,
          leastConfidence: 0.5,
        },
      }),
      /reader: uses letters\.json, which is not among/,
    ],
    ["lists a file twice", with_({ files: [...good.files, ...good.files] }), /a file is listed twice/],
    ["serves items from words", with_({ itemSpace: "words" }), /itemSpace: words is not one of/],
    ["serves items from nowhere", with_({ itemSpace: "elsewhere" }), /itemSpace: elsewhere is not one of/],
    [
      "weighs not every space",
      with_({ fusion: good.fusion.slice(0, 1) }),
      /must weigh the space picture in exactly one/,
    ],
    [
      "weighs a space twice",
      with_({ fusion: [...good.fusion, ...good.fusion] }),
      /must weigh the space words in exactly/,
    ],
    ...["words", "picture", "elsewhere"].map((space): [string, () => unknown, RegExp] => [
      `likens pages by ${space}`,
      with_({
        fusion: good.fusion.map((group) => ({ ...group, feedback: { space, pages: 3, sharpness: 4, weight: 5 } })),
      }),
      new RegExp(`feedback: ${space} is not a space of this group`),
    ]),
    ...["text", "picture", "elsewhere"].map((space): [string, () => unknown, RegExp] => [
      `reads the words of ${space}`,
      with_({ fusion: ranked({ space, weights: { pairs: 1 } }) }),
      new RegExp(`ranker: ${space} is not a lexical space of this group`),
    ]),
    [
      "weighs a feature that there is not",
      with_({ fusion: ranked({ space: "words", weights: { pears: 1 } }) }),
      /fusion\.0\.ranker\.weights/,
    ],
    [
      "reads pages for two groups",
      with_({
        fusion: [
          { spaces: { words: weight }, weight: 1, odds, usual: 0, ranker: { space: "words", weights: {} } },
          {
            spaces: { text: weight, picture: weight },
            weight: 1,
            odds,
            usual: 0,
            ranker: { space: "words", weights: {} },
          },
        ],
      }),
      /only one group can have a ranker/,
    ],
    [
      "steps over words",
      with_({ spaces: [lexical, { ...text, parts: { tokens: 4, step: 5, most: 2, whole: 2 } }, picture] }),
      /step must not be larger/,
    ],
  ])("is refused when it %s", (_, read, message) => {
    expect(read).toThrow(PackError);
    expect(read).toThrow(message);
  });

  it.each(["../secret", "/etc/passwd", "a/../../b", "a\\b", "C:/x", "a//b", ".hidden", "a/./b", ""])(
    "is refused when a file's path is %j",
    (path) => {
      const files = [...good.files, { path, bytes: 1, sha256 }];
      expect(with_({ files })).toThrow(/files\.2\.path: must be a relative path inside the pack/);
    },
  );
});
