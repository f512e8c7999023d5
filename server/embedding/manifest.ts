import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { dimensions, filePath, name } from "./fields.ts";
import { ocrSettings } from "./ocr/settings.ts";
import { kindDimensions } from "./kind/kinds.ts";
import { filesOf, modelSpace } from "./model/settings.ts";
import { PackError } from "./pack-error.ts";
import { featureNames } from "../domain/ports/pack-ranking.ts";

export const manifestName = "pack.json";

const file = z.strictObject({
  path: filePath,
  bytes: z.int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits"),
});

/** A space of the page's words, ranked by the full-text index. */
const lexicalSpace = z.strictObject({ kind: z.literal("lexical"), name });

/** A space whose vectors come from one graph, which turns weighted tokens into a vector, for pages and queries alike. */
const textSpace = z.strictObject({
  kind: z.literal("text"),
  name,
  dimensions,
  tokenizer: z.strictObject({
    file: filePath,
    /** The tokenizer sees each word by itself, so that the tokens of a word can be cached. */
    byWord: z.literal(true),
    /** The id of unknown tokens, which are dropped because they say nothing about the text. */
    unknownId: z.int().nonnegative(),
    /** Maximum tokens of a page to embed; the rest is ignored. */
    maxTokens: z.int().positive(),
  }),
  prefixes: z.strictObject({ query: z.string(), document: z.string() }),
  graph: z.strictObject({
    file: filePath,
    /** int64 and float32, both [rows, longest row], in the order of the text; shorter rows are padded with weight 0. */
    inputs: z.strictObject({ ids: z.string().min(1), weights: z.string().min(1) }),
    /** float32, [rows, dimensions]. */
    output: z.string().min(1),
  }),
  /** `log-tf`: each occurrence of a token that occurs n times has the weight (1 + ln n) / n. */
  weighting: z.literal("log-tf"),
  normalisation: z.literal("l2"),
  /**
   * Additional vectors for parts of a long page, with sizes in tokens. At most `most` parts cover the page; they are longer if
   * necessary. The page's vector times `whole` is added to each part's vector, because a part alone lacks the page's subject.
   */
  parts: z
    .strictObject({
      tokens: z.int().positive(),
      step: z.int().positive(),
      most: z.int().positive(),
      whole: z.number().nonnegative(),
    })
    .refine(({ tokens, step }) => step <= tokens, "step must not be larger than tokens"),
});

/** A space of vectors that an extractor inside drs makes of the page's picture. */
const pictureSpace = z.strictObject({
  kind: z.literal("picture"),
  name,
  dimensions,
  extractor: z.literal("arrangement-2"),
  /** Pixels of the longer side at which the page is drawn, in grey. */
  longSide: z.int().min(64).max(2048),
});

/** A space of page types (charts, tables, photos …), for queries that name them. It is never searched by itself. */
const kindSpace = z.strictObject({
  kind: z.literal("kinds"),
  name,
  dimensions: z.literal(kindDimensions),
  /** A file of weights that `models/kinds` wrote. */
  weights: filePath,
});

const spaceKinds = ["lexical", "text", "picture", "kinds", "model"];
const space = z.discriminatedUnion("kind", [lexicalSpace, textSpace, pictureSpace, kindSpace, modelSpace], {
  error: ({ input }) => {
    const kind = z.object({ kind: z.string() }).safeParse(input).data?.kind;
    const known = `this version of drs knows ${spaceKinds.join(", ")}`;
    return kind === undefined ? `is missing; ${known}` : `${JSON.stringify(kind)} is not supported; ${known}`;
  },
});

/** Spaces that answer one kind of question (words, or a picture); `FusionGroup` explains the numbers. */
const fusionGroup = z.strictObject({
  spaces: z.record(name, z.strictObject({ curve: z.enum(["linear", "sqrt", "log"]), weight: z.number().positive() })),
  feedback: z
    .strictObject({
      space: name,
      pages: z.int().min(1).max(20),
      sharpness: z.number().nonnegative(),
      weight: z.number().positive(),
    })
    .optional(),
  ranker: z.strictObject({ space: name, weights: z.partialRecord(z.enum(featureNames), z.number()) }).optional(),
  weight: z.number().positive(),
  odds: z.strictObject({
    offset: z.number(),
    slope: z.number().positive(),
    prominence: z.number().nonnegative(),
    rivals: z.strictObject({ weight: z.number().nonnegative(), sharpness: z.number().positive() }).optional(),
  }),
  usual: z.number(),
});

const fusion = z.array(fusionGroup).min(1);

const schema = z
  .strictObject({
    format: z.literal(1, "is not the manifest format that this version of drs reads (1)"),
    id: name,
    version: z.string().regex(/^\d+\.\d+\.\d+$/, "must be three numbers, such as 1.0.0"),
    licence: z.string().min(1),
    /**
     * Languages that the text spaces were trained for, as BCP 47 tags. Words of other languages are still found by full-text
     * search.
     */
    languages: z.array(z.string().min(1)).min(1),
    description: z.string(),
    files: z.array(file),
    spaces: z.array(space).min(1),
    /** The OCR of pages without a usable text layer; without it these pages have no words. */
    reader: ocrSettings.optional(),
    itemSpace: name,
    fusion,
  })
  .superRefine((manifest, context) => {
    const wrong = (path: (string | number)[], message: string): void =>
      context.addIssue({ code: "custom", path, message });
    const names = manifest.spaces.map((candidate) => candidate.name);
    if (new Set(names).size < names.length) wrong(["spaces"], "two spaces have the same name");
    const files = manifest.files.map(({ path }) => path);
    if (new Set(files).size < files.length) wrong(["files"], "a file is listed twice");
    for (const used of manifest.reader === undefined ? [] : [manifest.reader.graph.file, manifest.reader.alphabet]) {
      if (!files.includes(used)) wrong(["reader"], `uses ${used}, which is not among the pack's files`);
    }
    const item = manifest.spaces.find((candidate) => candidate.name === manifest.itemSpace);
    if (item === undefined || item.kind === "lexical") {
      wrong(["itemSpace"], `${manifest.itemSpace} is not one of the pack's spaces that have vectors`);
    } else if (!hasPageVector(item)) {
      wrong(["itemSpace"], `${item.name} has no vector that stands for the page; name a space whose scoring is best`);
    }
    const weighed = manifest.fusion.flatMap(({ spaces }) => Object.keys(spaces));
    for (const other of weighed) if (!names.includes(other)) wrong(["fusion"], `weighs ${other}, which is not a space`);
    manifest.fusion.forEach(({ spaces, feedback }, index) => {
      if (feedback === undefined) return;
      const likened = manifest.spaces.find((candidate) => candidate.name === feedback.space);
      if (!(feedback.space in spaces) || likened === undefined || !hasPageVector(likened)) {
        wrong(
          ["fusion", index, "feedback"],
          `${feedback.space} is not a space of this group with one vector for a page`,
        );
      }
    });
    manifest.fusion.forEach(({ spaces, ranker }, index) => {
      if (ranker === undefined) return;
      const read = manifest.spaces.find((candidate) => candidate.name === ranker.space);
      if (!(ranker.space in spaces) || read?.kind !== "lexical") {
        wrong(["fusion", index, "ranker"], `${ranker.space} is not a lexical space of this group`);
      }
    });
    if (manifest.fusion.filter(({ ranker }) => ranker !== undefined).length > 1) {
      wrong(["fusion"], "only one group can have a ranker");
    }
    manifest.spaces.forEach((candidate, index) => {
      if (weighed.filter((weighedName) => weighedName === candidate.name).length !== 1) {
        wrong(["fusion"], `must weigh the space ${candidate.name} in exactly one group`);
      }
      const ofText = candidate.kind === "text" ? [candidate.tokenizer.file, candidate.graph.file] : [];
      const uses = candidate.kind === "kinds" ? [candidate.weights] : ofText;
      for (const used of candidate.kind === "model" ? filesOf(candidate) : uses) {
        if (!files.includes(used)) wrong(["spaces", index], `uses ${used}, which is not among the pack's files`);
      }
    });
  });

/** Whether the first vector of a page in this space stands for the whole page. */
function hasPageVector(candidate: z.infer<typeof space>): boolean {
  return (
    candidate.kind === "text" ||
    candidate.kind === "picture" ||
    (candidate.kind === "model" && candidate.scoring === "best")
  );
}

/** The contents of `pack.json`; see models/README.md. */
export type Manifest = z.infer<typeof schema>;
export type TextSpace = z.infer<typeof textSpace>;
export type PictureSpace = z.infer<typeof pictureSpace>;
export type KindSpace = z.infer<typeof kindSpace>;

/** Reads `pack.json`. Throws `PackError` naming every field that is wrong. */
export async function readManifest(packDir: string): Promise<Manifest> {
  const text = await readFile(join(packDir, manifestName), "utf8").catch((cause: unknown) => {
    throw new PackError(`there is no readable ${manifestName} in ${packDir}; a model pack is a folder with that file`, {
      cause,
    });
  });
  return parseManifest(text, packDir);
}

export function parseManifest(text: string, packDir: string): Manifest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new PackError(`${manifestName} in ${packDir} is not JSON: ${String(cause)}`, { cause });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the manifest"}: ${message}`);
  throw new PackError(`${manifestName} in ${packDir} cannot be used: ${problems.join("; ")}`);
}
