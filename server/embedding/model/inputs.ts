import { z } from "zod";
import { filePath } from "../fields.ts";

/** The name of a graph's input or output. The graph determines the data type. */
export const tensorName = z.string().min(1).max(200);

/** Integer tensors, [rows, tokens]. */
const tokenInputs = z.strictObject({
  ids: tensorName,
  /** 1 where there is a token, 0 where there is padding. */
  mask: tensorName.optional(),
  /** A tensor of zeros. */
  types: tensorName.optional(),
  /** Positions, from 0 at the first token that is not padding. */
  positions: tensorName.optional(),
});

/** Settings that turn words into tokens. */
export const text = z.strictObject({
  tokenizer: filePath,
  /** Whether text is lower-cased before the tokenizer, for models whose tokenizer does not do it. */
  lowercase: z.boolean(),
  /** Maximum length, including special tokens, prefix and suffix; the rest is cut off. */
  maxTokens: z.int().min(2).max(32_768),
  /** `fixed` pads to `maxTokens`, `longest` to the longest text of one call. */
  padding: z.strictObject({
    to: z.enum(["fixed", "longest"]),
    id: z.int().nonnegative(),
    side: z.enum(["left", "right"]),
  }),
  /** Whether to add the tokens that the tokenizer's post-processor puts around a text. */
  specialTokens: z.boolean(),
  prefix: z.string().max(2000),
  /** Never cut off. */
  suffix: z.string().max(2000),
  inputs: tokenInputs,
});

const colour = z.tuple([z.int().min(0).max(255), z.int().min(0).max(255), z.int().min(0).max(255)]);
const perChannel = z.tuple([z.number(), z.number(), z.number()]);
const side = z.int().min(8).max(2048);

/** The way in which a picture is scaled to `size`. */
const fit = z.discriminatedUnion("mode", [
  /** Stretched to the size, whatever its proportions. */
  z.strictObject({ mode: z.literal("squash") }),
  /** Scaled until its shorter side has `side` pixels, then cropped to the middle. */
  z.strictObject({ mode: z.literal("shortest-side-crop"), side }),
  /** Scaled until it fits, then padded with the fill colour. */
  z.strictObject({ mode: z.literal("longest-side-pad"), fill: colour, place: z.enum(["centre", "start"]) }),
  /**
   * Scaled until its longer side is `longSide`, stretched to whole tiles of `size` and cut into them row by row, followed by
   * the whole picture at the size of a tile. A picture of one tile is that tile alone.
   */
  z.strictObject({ mode: z.literal("tiles"), longSide: z.int().min(8).max(4096) }),
]);

/** Settings that turn a picture into numbers. */
export const image = z
  .strictObject({
    /** An input of the shape [1, …] in the layout below, or [1, tiles, …] with tiles. */
    input: tensorName,
    /** An input of ones, [1, tiles, height, width]: no pixel of a tile is padding. */
    maskInput: tensorName.optional(),
    /** Pixels of the longer side at which pages are drawn before the fit. */
    drawn: z.int().min(16).max(4096),
    size: z.strictObject({ width: side, height: side }),
    fit,
    /** Resampling as in Pillow: with antialiasing, in whole numbers. */
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

/** The text that a vision-language model reads with the picture. */
export const prompt = z.strictObject({
  tokenizer: filePath,
  specialTokens: z.boolean(),
  /** `{image}` stands for the tiles and the whole picture. */
  text: z.string().max(2000).includes("{image}"),
  /** The text of each tile: `{tokens}` stands for the placeholders; `{row}` and `{column}` count from 1. */
  tile: z.string().max(500).includes("{tokens}"),
  rowEnd: z.string().max(100),
  /** The text of the whole picture after its tiles. */
  whole: z.string().max(500).includes("{tokens}"),
  /** The text of a picture without tiles. */
  alone: z.string().max(500).includes("{tokens}"),
  placeholder: z.strictObject({ token: z.string().min(1).max(100), perTile: z.int().min(1).max(4096) }),
  inputs: tokenInputs,
});

export type TextInput = z.infer<typeof text>;
export type ImageInput = z.infer<typeof image>;
export type Prompt = z.infer<typeof prompt>;
export type TokenInputs = z.infer<typeof tokenInputs>;
