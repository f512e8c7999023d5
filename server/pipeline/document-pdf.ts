import type { Clock } from "../domain/clock.ts";
import { convertedKey, originalKey } from "../domain/datasets/dataset.ts";
import { kindOfExt } from "../domain/documents/kind.ts";
import { notFound, unavailable } from "../domain/errors.ts";
import type { DatasetId } from "../domain/ids.ts";
import type { BlobStore } from "../domain/ports/blobs.ts";
import type { Metadata } from "../domain/ports/metadata.ts";

export interface DocumentSources {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  readonly clock: Clock;
}

/**
 * Opens the PDF of a dataset's pages as a file that the caller releases. Throws `not_found` or `unavailable` if there is none.
 */
export async function openPdf(
  { metadata, blobs, clock }: DocumentSources,
  datasetId: DatasetId,
): Promise<NonNullable<Awaited<ReturnType<BlobStore["asFile"]>>>> {
  const dataset = await metadata.datasets.getUnscoped(datasetId, clock());
  if (dataset === undefined) throw documentGone();
  const isPdf = kindOfExt(dataset.fileExt)?.format === "pdf";
  if (!isPdf && dataset.convertedSize === null) {
    throw unavailable("the document is being converted; try again in a moment");
  }
  // The pages of a converted dataset are those of the PDF that the conversion wrote.
  const pdf = await blobs.asFile(dataset.convertedSize === null ? originalKey(dataset) : convertedKey(dataset));
  if (pdf === undefined) throw documentGone();
  return pdf;
}

export const documentGone = (): Error => notFound("the document no longer exists");
