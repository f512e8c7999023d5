import { z } from "zod";
import { dimensions, filePath, name } from "../fields.ts";
import type { PictureRequest } from "../raster.ts";
import { image, prompt, tensorName, text } from "./inputs.ts";

/** What a long page is cut into, in tokens without prefix and special tokens; neighbours share tokens − step. */
const parts = z
  .strictObject({ tokens: z.int().positive(), step: z.int().positive(), most: z.int().min(2).max(64) })
  .refine(({ tokens, step }) => step <= tokens, "step must not be larger than tokens");

const output = z.strictObject({
  /** The graph's first output where it is left out. */
  name: tensorName.optional(),
  /** `none`: the graph gives [rows, dimensions]; otherwise [rows, tokens, dimensions]. `multi`: a vector for each token. */
  pooling: z.enum(["none", "cls", "mean", "last", "multi"]),
  dimensions,
  /** Shorter vectors, from the start of the long ones, that the model has been trained to give. */
  truncations: z.array(dimensions),
  /** Each vector to mean 0 and variance 1 before it is cut short. */
  layerNorm: z.boolean(),
  normalisation: z.enum(["l2", "none"]),
  /** Tokens that get no vector (`multi`) or do not count (`mean`); padding never does. */
  drop: z.strictObject({
    roles: z.array(z.enum(["special", "prefix", "suffix"])),
    ids: z.array(z.int().nonnegative()).max(1000),
  }),
});

/** Numbers in one constant: a picture of 2,048 pixels each way fits. */
const maxConstants = 3 * 2048 ** 2;

const tower = z
  .strictObject({
    graph: filePath,
    /** Files beside the graph that hold its weights (ONNX external data). */
    data: z.array(filePath),
    text: text.optional(),
    image: image.optional(),
    prompt: prompt.optional(),
    /** Inputs that the graph insists on and this tower has nothing for; a dimension may be 0. */
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

/** Vectors by graphs that the pack brings along: any public model, without code. See models/README.md. */
export const modelSpace = z
  .strictObject({
    kind: z.literal("model"),
    name,
    /** Of what is stored and searched: the output's, or one of its truncations. */
    dimensions,
    /** `best`: the nearest of the page's vectors counts; `max-sim`: for each vector of the query the nearest, on average. */
    scoring: z.enum(["best", "max-sim"]),
    towers: z.record(name, tower),
    /** What a page is here: its words, its picture, or both; by which tower. */
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

/** How the space wants to see pages; nothing if it only reads their words. */
export function modelPictureRequests({ towers, page }: ModelSpace): PictureRequest[] {
  const image = page.picture && towers[page.picture.tower]?.image;
  return image === undefined ? [] : [{ longSide: image.drawn, channels: 3 }];
}
