import { z } from "zod";
import { maxWarnings, warningCodes } from "../../domain/documents/warning.ts";

/** The format that `drs export` writes and `drs import` reads: docs/export-format.md. */
export const formatName = "drs-export";
export const formatVersion = 1;

/** Bounds of what is read from an archive, which may come from anywhere. */
export const max = {
  /** Of a line of JSON Lines, bytes: a page with all its words. */
  lineBytes: 16 * 2 ** 20,
  /** Of a file of vectors: what `rowsPerFile` rows of late interaction take, with room. */
  vectorFileBytes: 256 * 2 ** 20,
  /** Pages of a document, as for uploads. */
  pages: 100_000,
  /** Vector files of a dataset: each page in its own, in eight spaces. */
  vectorFiles: 800_000,
} as const;

/** Rows in one file of vectors. */
export const rowsPerFile = 200;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const time = z.number().int().min(0);
const text = z.string().max(10_000);
const fileSchema = z.object({ size: z.number().int().min(0), sha256 });

export const manifestSchema = z.object({
  format: z.literal(formatName),
  version: z.literal(formatVersion),
  /** Names this export; other ids are made out of it, so that the same archive gives the same ones. */
  id: z.string().min(1).max(100),
  createdAt: time,
  workspace: z.object({ id: z.string().max(100), name: z.string().max(1000) }),
  datasets: z.number().int().min(0),
  pages: z.number().int().min(0),
  /** Of all files beside this one. */
  bytes: z.number().int().min(0),
  /** `datasets.jsonl`. */
  list: fileSchema,
});
export type Manifest = z.infer<typeof manifestSchema>;

export const datasetSchema = z.object({
  id: z.string().max(100),
  fileName: text,
  fileExt: z.string().max(20),
  /** Pages of the document; 0: it has not been opened. */
  itemCount: z.number().int().min(0).max(max.pages),
  createdAt: time,
  updatedAt: time.nullable(),
  expiresAt: time.nullable(),
  /** Since version 1 was first written; absent: none. */
  metadata: z.record(z.string(), z.unknown()).optional(),
  /** Likewise. */
  title: text.nullable().optional(),
  author: text.nullable().optional(),
  /** Likewise; null: not known. */
  warnings: z
    .array(
      z.object({
        code: z.enum(warningCodes),
        message: z.string().max(2000),
        page: z.number().int().min(1).max(max.pages).optional(),
      }),
    )
    .max(maxWarnings)
    .nullable()
    .optional(),
  /** The pack of its index, `id@version`; null: it is not vectorized. */
  pack: z.string().max(1000).nullable(),
  original: fileSchema,
  /** The PDF that an Office document became; null: none. */
  converted: fileSchema.nullable(),
  pages: fileSchema.extend({ count: z.number().int().min(0).max(max.pages) }),
  vectors: z
    .array(
      fileSchema.extend({
        space: z.string().max(200),
        kind: z.enum(["dense", "lexical"]),
        number: z.number().int().min(1),
      }),
    )
    .max(max.vectorFiles),
});
export type ArchivedDataset = z.infer<typeof datasetSchema>;

export const pageSchema = z.object({
  page: z.number().int().min(1).max(max.pages),
  /** Points. */
  width: z.number().min(0),
  height: z.number().min(0),
  words: z.string(),
  failure: text.nullable(),
  embedFailure: text.nullable(),
  renderFailure: text.nullable(),
  createdAt: time,
  embeddedAt: time.nullable(),
  absentFrom: z.array(z.string().regex(/^[^,]{1,200}$/)).max(100),
});

/** Paths of the files of an archive: they follow from ids and numbers, and are never taken from it. */
export const pathOf = {
  manifest: "manifest.json",
  datasets: "datasets.jsonl",
  original: (id: string): string => `originals/${id}`,
  converted: (id: string): string => `converted/${id}`,
  pages: (id: string): string => `pages/${id}.jsonl`,
  /** A dataset's files are numbered over all its spaces. */
  vectors: (id: string, number: number): string => `vectors/${id}/${String(number).padStart(6, "0")}.arrow`,
} as const;
