import { z } from "zod";
import { filePath } from "../fields.ts";

/** Of a graph's inputs and outputs; data types are the graph's own. */
export const tensorName = z.string().min(1).max(200);

/** Integer tensors, [rows, tokens]. */
const tokenInputs = z.strictObject({
  ids: tensorName,
  /** 1 where there is a token, 0 where there is padding. */
  mask: tensorName.optional(),
  /** All 0. */
  types: tensorName.optional(),
  /** From 0 at the first token that is not padding. */
  positions: tensorName.optional(),
});

/** How words become tokens. */
export const text = z.strictObject({
  tokenizer: filePath,
  /** Before the tokenizer, for models whose tokenizer does not do it by itself. */
  lowercase: z.boolean(),
  /** Special tokens, prefix and suffix included; what comes after is cut off. */
  maxTokens: z.int().min(2).max(32_768),
  /** `fixed`: to `maxTokens`, `longest`: to the longest text of one call. */
  padding: z.strictObject({
    to: z.enum(["fixed", "longest"]),
    id: z.int().nonnegative(),
    side: z.enum(["left", "right"]),
  }),
  /** Whether the tokens are added that the tokenizer's post-processor puts around a text. */
  specialTokens: z.boolean(),
  prefix: z.string().max(2000),
  /** Never cut off. */
  suffix: z.string().max(2000),
  inputs: tokenInputs,
});

const colour = z.tuple([z.int().min(0).max(255), z.int().min(0).max(255), z.int().min(0).max(255)]);
const perChannel = z.tuple([z.number(), z.number(), z.number()]);
const side = z.int().min(8).max(2048);

/** How a picture comes to `size`. */
const fit = z.discriminatedUnion("mode", [
  /** Whatever its proportions. */
  z.strictObject({ mode: z.literal("squash") }),
  /** Scaled until its shorter side is `side` long, then its middle cut out. */
  z.strictObject({ mode: z.literal("shortest-side-crop"), side }),
  /** Scaled until it fits in, what is left filled. */
  z.strictObject({ mode: z.literal("longest-side-pad"), fill: colour, place: z.enum(["centre", "start"]) }),
  /**
   * Scaled until its longer side is `longSide`, stretched to whole tiles of `size`, cut into these by rows; behind them the
   * whole picture in the size of a tile. If it is but one tile, that alone.
   */
  z.strictObject({ mode: z.literal("tiles"), longSide: z.int().min(8).max(4096) }),
]);

/** How a picture becomes numbers. */
export const image = z
  .strictObject({
    /** [1, …] in the layout below; with tiles [1, tiles, …]. */
    input: tensorName,
    /** All 1, [1, tiles, height, width]: that no pixel of a tile is padding. */
    maskInput: tensorName.optional(),
    /** Pixels of the longer side at which pages are drawn, before the fit. */
    drawn: z.int().min(16).max(4096),
    size: z.strictObject({ width: side, height: side }),
    fit,
    /** As Pillow does it: with antialiasing, in whole numbers. */
    resampling: z.enum(["nearest", "box", "bilinear", "bicubic", "lanczos"]),
    /** (value × rescale − mean) ÷ std, values from 0 to 255. */
    rescale: z.number().positive(),
    mean: perChannel,
    std: perChannel.refine((values) => values.every((value) => value > 0), "must be positive"),
    layout: z.enum(["NCHW", "NHWC"]),
    channels: z.enum(["RGB", "BGR"]),
  })
  .superRefine(({ fit: how, size }, context) => {
    if (how.mode === "shortest-side-crop" && how.side < Math.max(size.width, size.height)) {
      context.addIssue({ code: "custom", path: ["fit", "side"], message: "must not be smaller than the size cut out" });
    }
    if (how.mode === "tiles" && (size.width !== size.height || how.longSide < size.width)) {
      context.addIssue({ code: "custom", path: ["fit"], message: "tiles are square, and no larger than longSide" });
    }
  });

/** What a vision-language model reads beside the picture. */
export const prompt = z.strictObject({
  tokenizer: filePath,
  specialTokens: z.boolean(),
  /** `{image}` stands for what follows. */
  text: z.string().max(2000).includes("{image}"),
  /** For each tile: `{tokens}` stands for the placeholders, `{row}` and `{column}` count from 1. */
  tile: z.string().max(500).includes("{tokens}"),
  rowEnd: z.string().max(100),
  /** The whole picture behind its tiles. */
  whole: z.string().max(500).includes("{tokens}"),
  /** The whole picture where there are no tiles. */
  alone: z.string().max(500).includes("{tokens}"),
  placeholder: z.strictObject({ token: z.string().min(1).max(100), perTile: z.int().min(1).max(4096) }),
  inputs: tokenInputs,
});

export type TextInput = z.infer<typeof text>;
export type ImageInput = z.infer<typeof image>;
export type Prompt = z.infer<typeof prompt>;
export type TokenInputs = z.infer<typeof tokenInputs>;
