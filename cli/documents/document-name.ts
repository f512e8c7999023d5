import type { Drs } from "@drs/client";
import { isDrsError } from "../failures.ts";

/** The name of a dataset's file; its id if the key may not read it or it is gone. */
export async function documentName(drs: Drs, datasetId: string, signal: AbortSignal): Promise<string> {
  try {
    return (await drs.datasets.get(datasetId, { signal })).fileName;
  } catch (cause) {
    // A key for searching only may not read datasets, and a dataset can go while its pages are on the way.
    if (isDrsError(cause) && (cause.code === "permission_denied" || cause.code === "not_found")) return datasetId;
    throw cause;
  }
}
