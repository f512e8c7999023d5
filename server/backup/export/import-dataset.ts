import { convertedKey, type Dataset, originalKey } from "../../domain/datasets/dataset.ts";
import { blobSource } from "../../domain/documents/source.ts";
import { conflict, tooLarge } from "../../domain/errors.ts";
import { type DatasetId, parseDatasetId } from "../../domain/ids.ts";
import { sizeText } from "../../domain/plans/plan.ts";
import type { ImportedDataset } from "../../domain/ports/datasets.ts";
import { featurePrefix } from "../../domain/ports/features.ts";
import type { Garbage } from "../../domain/ports/garbage.ts";
import type { StoredPage } from "../../domain/ports/pages.ts";
import { quotaOf } from "../../domain/usage/storage-quota.ts";
import { newGeneration } from "../../storage/metadata/indices/index-rows.ts";
import { datasetRow, jobRow, otherDatasetId } from "./dataset-rows.ts";
import { checkedBytes, damaged, parsedLines } from "./folder.ts";
import {
  abandonedAfterMs,
  type ArchivedDataset,
  type ArchivedPage,
  maxAheadMs,
  pageSchema,
  pathOf,
  problemOf,
} from "./format.ts";
import { type ImportedFeatures, importFeatures } from "./import-features.ts";
import type { ImportOptions } from "./import-options.ts";

/** Returns "present" if the dataset existed already, "unfinished" if a worker has to continue it, "whole" otherwise. */
export async function importDataset(
  options: ImportOptions,
  archiveId: string,
  archived: ArchivedDataset,
): Promise<"present" | "whole" | "unfinished"> {
  const { metadata, workspace, limits, newIds, clock } = options;
  const known = parseDatasetId(archived.id);
  if (known === undefined) throw damaged(pathOf.datasets, "has a dataset with an id that is none");
  const id = newIds ? otherDatasetId(known, archiveId, workspace.id) : known;
  const now = clock();
  const dataset = datasetRow(archived, { id, workspaceId: workspace.id, limits, now });
  const before = (await metadata.datasets.get(workspace.id, id, 0)) ?? (await metadata.datasets.getUnscoped(id, 0));
  if (before?.workspaceId === workspace.id && before.sha256 === dataset.sha256) return "present";
  if (before !== undefined) throw taken(archived);
  if (dataset.expiresAt !== null && dataset.expiresAt <= now) return "whole";
  await refuseTooLarge(options, dataset);

  await metadata.garbage.add(garbageOf(dataset), now + abandonedAfterMs);
  await removeEarlier(options, id);
  await importBytes(options, archived, dataset);
  const index = await importIndex(options, archived, id);
  const { pages, unembedded } = await importPages(options, archived, id, index?.features);

  const isVectorized = archived.pack !== null;
  const isComplete = pages > 0 && pages === dataset.itemCount && (!isVectorized || unembedded === 0);
  const job = jobRow(dataset, { archiveId, isVectorized, isComplete, now });
  const outcome = await metadata.imports.complete({ dataset, job, pages, index: index?.served });
  if (outcome === "taken") throw taken(archived);
  if (outcome === "over quota") throw (await quotaOf(metadata, workspace.id)).refuse("the document");
  if (outcome === "pages lost")
    throw conflict(
      `pages of ${id} were removed meanwhile, with an earlier dataset of that id; run the same command again`,
    );
  return isComplete ? "whole" : "unfinished";
}

interface ImportedIndex {
  readonly features: ImportedFeatures;
  readonly served: ImportedDataset["index"];
}

/** Returns undefined if this server has to embed the pages with its own pack. */
async function importIndex(
  options: ImportOptions,
  archived: ArchivedDataset,
  id: DatasetId,
): Promise<ImportedIndex | undefined> {
  if (archived.features.length === 0) return undefined;
  const { id: pack, spaces } = await options.packs.inUse();
  if (pack !== archived.pack) return undefined;
  const generation = newGeneration();
  const index = { datasetId: id, workspaceId: options.workspace.id, generation };
  const features = await importFeatures(options, archived, { index, spaces });
  return { features, served: { pack, generation, parts: features.parts } };
}

const taken = ({ id }: ArchivedDataset): Error =>
  conflict(
    `there is a dataset ${id} on this server already, in another workspace or with another document; ` +
      "--new-ids gives the imported ones other ids",
  );

const garbageOf = (dataset: Dataset): readonly Garbage[] => [
  { kind: "rows", key: dataset.id },
  { kind: "blob", key: originalKey(dataset) },
  { kind: "blob", key: convertedKey(dataset) },
];

/**
 * Removes features left by an earlier dataset with this id. Importing this dataset deletes the entry for their removal
 * from the garbage list, so nothing else would remove them.
 */
async function removeEarlier({ metadata, blobs, clock }: ImportOptions, id: DatasetId): Promise<void> {
  await metadata.garbage.postpone({ kind: "vectors", key: id }, clock() + abandonedAfterMs);
  await blobs.removePrefix(featurePrefix({ datasetId: id }));
}

async function refuseTooLarge({ metadata, workspace, limits }: ImportOptions, dataset: Dataset): Promise<void> {
  const { maxUploadBytes, maxPages } = limits;
  const { fileName, fileSize, itemCount, convertedSize } = dataset;
  if (maxUploadBytes !== null && fileSize > maxUploadBytes)
    throw tooLarge(
      `${fileName} is larger than ${sizeText(maxUploadBytes)}, the most that the plan of the target allows`,
    );
  if (maxPages !== null && itemCount > maxPages)
    throw tooLarge(`${fileName} has more than ${maxPages} pages, the most that the plan of the target allows`);
  const quota = await quotaOf(metadata, workspace.id);
  if (quota.remainingBytes < fileSize + (convertedSize ?? 0)) throw quota.refuse("the document");
}

/** Stores the bytes and checks that they are of the declared formats. */
async function importBytes(
  { blobs, formats, dir, signal }: ImportOptions,
  { id, original, converted }: ArchivedDataset,
  dataset: Dataset,
): Promise<void> {
  await blobs.put(originalKey(dataset), checkedBytes(dir, pathOf.original(id), original), signal);
  const kind = await formats.identify(blobSource(blobs, originalKey(dataset), original.size));
  if (kind.fileExt !== dataset.fileExt) throw damaged(pathOf.original(id), `is not a ${dataset.fileExt} file`);
  if (converted === null) return;
  const key = convertedKey(dataset);
  await blobs.put(key, checkedBytes(dir, pathOf.converted(id), converted), signal);
  const format = (await formats.identify(blobSource(blobs, key, converted.size))).format;
  if (kind.format === "pdf" || format !== "pdf")
    throw damaged(pathOf.converted(id), "is not the PDF of an Office document");
}

interface ImportedPages {
  readonly pages: number;
  /** Number of these pages that are readable but not embedded. */
  readonly unembedded: number;
}

const pagesPerPut = 200;

/** Stores the pages of a dataset. A page counts as embedded only if it has features. */
async function importPages(
  { metadata, dir, clock, signal }: ImportOptions,
  archived: ArchivedDataset,
  id: DatasetId,
  features: ImportedFeatures | undefined,
): Promise<ImportedPages> {
  const path = pathOf.pages(archived.id);
  let [pages, unembedded, last] = [0, 0, 0];
  let waiting: StoredPage[] = [];
  for await (const value of parsedLines(path, checkedBytes(dir, path, archived.pages))) {
    signal.throwIfAborted();
    const parsed = pageSchema.safeParse(value);
    if (!parsed.success)
      throw damaged(path, `has a line that is not a page (after page ${last}, ${problemOf(parsed.error)})`);
    if (parsed.data.page <= last || parsed.data.page > archived.itemCount)
      throw damaged(path, `has page ${parsed.data.page} where it cannot be`);
    last = parsed.data.page;
    checkTimes(path, parsed.data, clock());
    const page = withFeatures(parsed.data, features);
    pages += 1;
    if (page.failure === null && page.embeddedAt === null && page.embedFailure === null) unembedded += 1;
    waiting.push(page);
    if (waiting.length < pagesPerPut) continue;
    await metadata.imports.putPages(id, waiting);
    waiting = [];
  }
  await metadata.imports.putPages(id, waiting);
  if (pages !== archived.pages.count) throw damaged(path, `has ${pages} pages instead of ${archived.pages.count}`);
  return { pages, unembedded };
}

/** The clocks of the archive's machine and of this one may differ by some hours. */
function checkTimes(path: string, { page, createdAt, embeddedAt }: ArchivedPage, now: number): void {
  if (Math.max(createdAt, embeddedAt ?? 0) > now + maxAheadMs)
    throw damaged(path, `has page ${page} with a time in the future`);
}

function withFeatures(page: ArchivedPage, features: ImportedFeatures | undefined): StoredPage {
  if (features === undefined) return { ...page, embeddedAt: null, embedFailure: null, absentFrom: [] };
  const absentFrom = features.absentFrom.get(page.page);
  if (page.embeddedAt === null || absentFrom === undefined) return { ...page, embeddedAt: null, absentFrom: [] };
  return { ...page, absentFrom };
}
