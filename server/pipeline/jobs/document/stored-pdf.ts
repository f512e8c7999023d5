import { convertedKey, type Dataset, originalKey } from "../../../domain/datasets/dataset.ts";
import { kindOfExt } from "../../../domain/documents/kind.ts";
import type { LocalFile } from "../../../domain/ports/blobs.ts";
import { DocumentError } from "../../errors.ts";
import type { JobContext } from "../context.ts";

/** Opens the document's PDF that the vectorizing job has stored. Throws `DocumentError` if it is gone. */
export async function openStoredPdf({ blobs }: Pick<JobContext, "blobs">, dataset: Dataset): Promise<LocalFile> {
  const isPdf = kindOfExt(dataset.fileExt)?.format === "pdf";
  const file = await blobs.asFile(isPdf ? originalKey(dataset) : convertedKey(dataset));
  if (file === undefined) throw new DocumentError("damaged", "the document's file is no longer in the blob store");
  return file;
}
