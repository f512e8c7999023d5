import { z } from "zod";
import { dimensions, filePath, name } from "../fields.ts";
import type { PictureRequest } from "../raster.ts";
import { image, prompt, tensorName, text } from "./inputs.ts";

/** The parts of a long page, in tokens without prefix and special tokens; neighbours share tokens − step. */
const parts = z
  .strictObject({ tokens: z.int().positive(), step: z.int().positive(), most: z.int().min(2).max(64) })
  .refine(({ tokens, step }) => step <= tokens, "step must not be larger than tokens");

const output = z.strictObject({
  /** The graph's first output if left out. */
  name: tensorName.optional(),
  /** `none`: the graph gives [rows, dimensions]; otherwise [rows, tokens, dimensions]. `multi`: a vector for each token. */
  pooling: z.enum(["none", "cls", "mean", "last", "multi"]),
  dimensions,
  /** Lengths of prefixes of the vectors that the model was trained to be cut to. */
  truncations: z.array(dimensions),
  /** Whether each vector is brought to mean 0 and variance 1 before it is truncated. */
  layerNorm: z.boolean(),
  normalisation: z.enum(["l2", "none"]),
  /** Tokens that get no vector (`multi`) or do not count (`mean`), in addition to padding. */
  drop: z.strictObject({
    roles: z.array(z.enum(["special", "prefix", "suffix"])),
    ids: z.array(z.int().nonnegative()).max(1000),
  }),
});

/** Maximum count of numbers in one constant: a picture of 2,048 × 2,048 pixels fits. */
const maxConstants = 3 * 2048 ** 2;

const tower = z
  .strictObject({
    graph: filePath,
    /** Files beside the graph that hold its weights (ONNX external data). */
    data: z.array(filePath),
    text: text.optional(),
    image: image.optional(),
    prompt: prompt.optional(),
    /** Inputs that the graph requires but this tower has no values for; a dimension may be 0. */
    constants: z.array(
      z.strictObject({
        input: tensorName,
        shape: z
          .array(z.int().min(0).max(65_536))
          .max(6)
          .refine((shape) => shape.reduce((product, side) => product * side, 1) <= maxConstants, "is too large"),
        value: z.number(),
      }),
    ),
    output,
  })
  .superRefine((settings, context) => {
    const wrong = (message: string): void => context.addIssue({ code: "custom", message });
    if ((settings.text === undefined) === (settings.image === undefined)) wrong("needs either text or image");
    if (settings.prompt !== undefined && settings.image === undefined) wrong("a prompt belongs to an image");
    if (settings.image?.fit.mode === "tiles" && settings.output.pooling === "none") {
      wrong("tiles need an output by tokens");
    }
  });

/** A space of vectors from graphs in the pack: any public model, without code. See models/README.md. */
export const modelSpace = z
  .strictObject({
    kind: z.literal("model"),
    name,
    /** Dimensions of stored vectors: those of the output, or of one of its truncations. */
    dimensions,
    /** `best`: the page's nearest vector counts; `max-sim`: the mean over the query's vectors of the nearest one. */
    scoring: z.enum(["best", "max-sim"]),
    towers: z.record(name, tower),
    /** Whether a page is embedded by its words, its picture or both, and the tower for each. */
    page: z.strictObject({
      words: z.strictObject({ tower: name, parts: parts.optional() }).optional(),
      picture: z.strictObject({ tower: name }).optional(),
    }),
    query: z.strictObject({
      text: z.strictObject({ tower: name }).optional(),
      image: z.strictObject({ tower: name }).optional(),
    }),
  })
  .superRefine(({ towers, page, query, dimensions: stored, scoring }, context) => {
    const wrong = (path: string[], message: string): void => context.addIssue({ code: "custom", path, message });
    const uses = [
      { path: ["page", "words"], use: page.words, takes: "text" },
      { path: ["page", "picture"], use: page.picture, takes: "image" },
      { path: ["query", "text"], use: query.text, takes: "text" },
      { path: ["query", "image"], use: query.image, takes: "image" },
    ] as const;
    for (const { path, use, takes } of uses) {
      if (use === undefined) continue;
      const found = Object.hasOwn(towers, use.tower) ? towers[use.tower] : undefined;
      if (found === undefined) wrong([...path, "tower"], `${use.tower} is not one of the space's towers`);
      else if (found[takes] === undefined) wrong([...path, "tower"], `${use.tower} takes no ${takes}`);
    }
    if (page.words === undefined && page.picture === undefined) wrong(["page"], "needs words or picture");
    if (query.text === undefined && query.image === undefined) wrong(["query"], "needs text or image");
    const room = page.words && towers[page.words.tower]?.text?.maxTokens;
    if (room !== undefined && (page.words?.parts?.tokens ?? 0) > room) {
      wrong(["page", "words", "parts"], "tokens must not be more than the tower's maxTokens");
    }
    for (const [key, { output: given }] of Object.entries(towers)) {
      if (given.dimensions !== stored && !given.truncations.includes(stored)) {
        wrong(["towers", key, "output"], `gives no vectors of ${stored} dimensions`);
      }
      if (given.truncations.some((shorter) => shorter > given.dimensions)) {
        wrong(["towers", key, "output", "truncations"], "must not be longer than dimensions");
      }
      if ((given.pooling === "multi") !== (scoring === "max-sim")) {
        wrong(["towers", key, "output", "pooling"], "multi goes with the scoring max-sim, and only with it");
      }
    }
  });

export type ModelSpace = z.infer<typeof modelSpace>;
export type Tower = ModelSpace["towers"][string];
export type TowerOutput = z.infer<typeof output>;
export type PartSettings = z.infer<typeof parts>;

/** Every file that the space uses, each once. */
export function filesOf({ towers }: ModelSpace): readonly string[] {
  const files = Object.values(towers).flatMap(({ graph, data, text: words, prompt: beside }) => [
    graph,
    ...data,
    ...(words === undefined ? [] : [words.tokenizer]),
    ...(beside === undefined ? [] : [beside.tokenizer]),
  ]);
  return [...new Set(files)];
}

/** The pictures of pages that the space needs; empty if it only reads their words. */
export function modelPictureRequests({ towers, page }: ModelSpace): PictureRequest[] {
  const image = page.picture && towers[page.picture.tower]?.image;
  return image === undefined ? [] : [{ longSide: image.drawn, channels: 3 }];
}
