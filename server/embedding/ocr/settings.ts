import { z } from "zod";
import { filePath } from "../fields.ts";

/** Of a pack that reads pages without a usable text layer: the graph, its letters, and what both expect. */
export const ocrSettings = z.strictObject({
  /** The graph: float32 [lines, 1, lineHeight, width] → int32 and float32, both [lines, width / 2]. */
  graph: z.strictObject({
    file: filePath,
    input: z.string().min(1),
    /** Of each half of a step the number of the likeliest letter, 0 for none, and how likely it is. */
    outputs: z.strictObject({ letters: z.string().min(1), likelihoods: z.string().min(1) }),
  }),
  /** JSON, `{"letters": "…"}`: the first is number 1. */
  alphabet: filePath,
  /** Rows of pixels. */
  lineHeight: z.int().min(8).max(128),
  /** The page is drawn with a longer side of so many pixels, in grey. */
  longSide: z.int().min(512).max(4096),
  /** Words that are less likely to be right are left out: garbage would be found. */
  leastConfidence: z.number().min(0).max(1),
});

export type OcrSettings = z.infer<typeof ocrSettings>;
