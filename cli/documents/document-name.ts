import type { Drs } from "@drs/client";
import { isDrsError } from "../failures.ts";

/** What is told of a document with its pages. */
export interface Document {
  readonly fileName: string;
  /** Undefined: not known. */
  readonly itemCount: number | undefined;
}

/** The name of a dataset's file; its id if the key may not read it or it is gone. */
export async function documentName(drs: Drs, datasetId: string, signal: AbortSignal): Promise<string> {
  return (await documentOf(drs, datasetId, signal)).fileName;
}

/** Name and pages of a dataset's document; its id for the name if the key may not read it or it is gone. */
export async function documentOf(drs: Drs, datasetId: string, signal: AbortSignal): Promise<Document> {
  try {
    return await drs.datasets.get(datasetId, { signal });
  } catch (cause) {
    // A key for searching only may not read datasets, and a dataset can go while its pages are on the way.
    if (isDrsError(cause) && (cause.code === "permission_denied" || cause.code === "not_found"))
      return { fileName: datasetId, itemCount: undefined };
    throw cause;
  }
}
