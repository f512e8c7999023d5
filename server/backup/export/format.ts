import { z } from "zod";
import { maxWarnings, warningCodes } from "../../domain/documents/properties.ts";
import type { StoredPage } from "../../domain/ports/pages.ts";

/** The format that `drs export` writes and `drs import` reads: docs/reference/export-format.md. */
export const formatName = "drs-export";
export const formatVersion = 2;

/** Limits for what is read from an untrusted archive. */
export const max = {
  /** Maximum size of a line of JSON Lines, bytes. One line has a page with all its words. */
  lineBytes: 16 * 2 ** 20,
  /** Maximum size of a feature part, bytes: more than a few hundred pages of late-interaction vectors need. */
  featureFileBytes: 256 * 2 ** 20,
  /** Maximum number of pages of a document; uploads have the same limit. */
  pages: 100_000,
} as const;

/** Times in an archive may be ahead of the importing server's clock by this much, ms. */
export const maxAheadMs = 86_400_000;

/** The data of an unfinished import is removed after this time, ms. */
export const abandonedAfterMs = 86_400_000;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/**
 * Latest time that is accepted. Every JavaScript date and database column can store it; the import checks times more
 * strictly.
 */
const latest = Date.UTC(9999, 0);
const time = z.number().int().min(0).max(latest);
/** Stored texts never contain characters that databases refuse, or halves of surrogate pairs. */
const storable = z
  .string()
  .refine((value) => value.isWellFormed() && !value.includes("\0"), "has characters that are not text");
const text = storable.max(10_000);
/** Length of a side of a page, points, in the range of PDF numbers. */
const side = z.number().min(0).max(3.4e38);
const fileSchema = z.object({ size: z.number().int().min(0), sha256 });

export const manifestSchema = z.object({
  format: z.literal(formatName),
  version: z.literal(formatVersion),
  /**
   * Identifies this export. New ids are derived from it, so that importing the same archive again gives the same ids.
   */
  id: z.string().min(1).max(100),
  createdAt: time,
  workspace: z.object({ id: z.string().max(100), name: z.string().max(1000) }),
  datasets: z.number().int().min(0),
  pages: z.number().int().min(0),
  /** Size of all files except this one. */
  bytes: z.number().int().min(0),
  /** `datasets.jsonl`. */
  list: fileSchema,
});
export type Manifest = z.infer<typeof manifestSchema>;

export const datasetSchema = z.object({
  id: z.string().max(100),
  fileName: text,
  fileExt: z.string().max(20),
  /** Pages of the document; 0 if it has not been opened. */
  itemCount: z.number().int().min(0).max(max.pages),
  createdAt: time,
  updatedAt: time.nullable(),
  expiresAt: time.nullable(),
  metadata: z.record(z.string(), z.unknown()),
  title: text.nullable(),
  author: text.nullable(),
  /** Null if not known. */
  warnings: z
    .array(
      z.object({
        code: z.enum(warningCodes),
        message: storable.max(2000),
        page: z.number().int().min(1).max(max.pages).optional(),
      }),
    )
    .max(maxWarnings)
    .nullable(),
  /** The pack of its index, `id@version`; null if it is not vectorized. */
  pack: z.string().max(1000).nullable(),
  original: fileSchema,
  /** The converted PDF of an Office document; null if there is none. */
  converted: fileSchema.nullable(),
  pages: fileSchema.extend({ count: z.number().int().min(0).max(max.pages) }),
  /** The parts with the features of its pages, in order. Each part has at least one page that no later part has. */
  features: z.array(fileSchema).max(max.pages),
});
export type ArchivedDataset = z.infer<typeof datasetSchema>;

export const pageSchema = z
  .object({
    page: z.number().int().min(1).max(max.pages),
    width: side,
    height: side,
    words: storable,
    failure: text.nullable(),
    embedFailure: text.nullable(),
    renderFailure: text.nullable(),
    createdAt: time,
    embeddedAt: time.nullable(),
  })
  .refine(({ failure, ...page }) => failure === null || isEmpty(page), "failed and has something all the same")
  .refine(
    ({ embedFailure, embeddedAt }) => embedFailure === null || embeddedAt === null,
    "is embedded and could not be",
  );
export type ArchivedPage = z.infer<typeof pageSchema>;

/** Whether a page has no content, as is required of a page that could not be read. */
const isEmpty = (
  page: Pick<StoredPage, "width" | "height" | "words" | "embedFailure" | "renderFailure" | "embeddedAt">,
) =>
  page.width === 0 &&
  page.height === 0 &&
  page.words === "" &&
  page.embedFailure === null &&
  page.renderFailure === null &&
  page.embeddedAt === null;

/** Describes the first mistake in an entry of an archive: `createdAt: …`. */
export const problemOf = ({ issues: [issue] }: z.core.$ZodError): string =>
  issue === undefined ? "is wrong" : [issue.path.join("."), issue.message].filter((part) => part !== "").join(": ");

/** Paths of the files of an archive: they are derived from ids and numbers, and never taken from its content. */
export const pathOf = {
  manifest: "manifest.json",
  datasets: "datasets.jsonl",
  original: (id: string): string => `originals/${id}`,
  converted: (id: string): string => `converted/${id}`,
  pages: (id: string): string => `pages/${id}.jsonl`,
  features: (id: string, number: number): string => `features/${id}/${String(number).padStart(6, "0")}.arrow`,
} as const;
