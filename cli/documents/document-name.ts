import type { Drs } from "@drs/client";
import { isDrsError } from "../failures.ts";

/** The parts of a document that are shown with its pages. */
export interface Document {
  readonly fileName: string;
  /** Undefined if not known. */
  readonly itemCount: number | undefined;
}

/** Returns the name of a dataset's file, or the dataset's id if the key may not read it or it is gone. */
export async function documentName(drs: Drs, datasetId: string, signal: AbortSignal): Promise<string> {
  return (await documentOf(drs, datasetId, signal)).fileName;
}

/**
 * Returns the name and page count of a dataset's document; the name is the dataset's id if the key may not read it or
 * it is gone.
 */
export async function documentOf(drs: Drs, datasetId: string, signal: AbortSignal): Promise<Document> {
  try {
    return await drs.datasets.get(datasetId, { signal });
  } catch (cause) {
    // A key that may only search cannot read datasets, and a dataset can be deleted while its pages are being returned.
    if (isDrsError(cause) && (cause.code === "permission_denied" || cause.code === "not_found"))
      return { fileName: datasetId, itemCount: undefined };
    throw cause;
  }
}
