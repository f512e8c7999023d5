import { z } from "zod";
import { filePath } from "../fields.ts";

/** The OCR of a pack for pages without a usable text layer: its graph, its letters, and the input that they expect. */
export const ocrSettings = z.strictObject({
  /** The graph: float32 [lines, 1, lineHeight, width] → int32 and float32, both [lines, width / 2]. */
  graph: z.strictObject({
    file: filePath,
    input: z.string().min(1),
    /** The number of the likeliest letter for each half of a step, 0 for none, and its likelihood. */
    outputs: z.strictObject({ letters: z.string().min(1), likelihoods: z.string().min(1) }),
  }),
  /** JSON, `{"letters": "…"}`: the first letter has number 1. */
  alphabet: filePath,
  /** Height of a line in pixels. */
  lineHeight: z.int().min(8).max(128),
  /** Pixels of the longer side at which the page is drawn, in grey. */
  longSide: z.int().min(512).max(4096),
  /** Words with less confidence are left out, because searches would find garbage. */
  leastConfidence: z.number().min(0).max(1),
});

export type OcrSettings = z.infer<typeof ocrSettings>;
