import type { Drs, FoundItem } from "@drs/client";
import { mapBounded } from "../bounded.ts";
import { isDrsError } from "../failures.ts";
import { printable } from "../output/printable.ts";

/** A found page with what a person wants to know about it. */
export interface FoundPage extends FoundItem {
  /** From 1. */
  readonly rank: number;
  /** Name of its document; its dataset's id if the key may not read it. */
  readonly fileName: string;
  readonly savedTo?: string;
}

const datasetsAtOnce = 4;

/** Adds ranks and the names of the documents. */
export async function describeFound(drs: Drs, found: readonly FoundItem[], signal: AbortSignal): Promise<FoundPage[]> {
  const ids = [...new Set(found.map(({ datasetId }) => datasetId))];
  const names = new Map(
    await mapBounded(ids, datasetsAtOnce, async (id) => [id, await documentName(drs, id, signal)] as const),
  );
  return found.map((item, index) => ({
    rank: index + 1,
    fileName: names.get(item.datasetId) ?? item.datasetId,
    ...item,
  }));
}

async function documentName(drs: Drs, id: string, signal: AbortSignal): Promise<string> {
  try {
    return (await drs.datasets.get(id, { signal })).fileName;
  } catch (cause) {
    // A key for searching only may not read datasets, and a dataset can go while its pages are on the way.
    if (isDrsError(cause) && (cause.code === "permission_denied" || cause.code === "not_found")) return id;
    throw cause;
  }
}

/** `1.  0.87  manual.pdf, page 12`, with the link or the file below. */
export function foundLines({ rank, score, fileName, col, share, savedTo }: FoundPage): string[] {
  return [
    `${String(rank).padStart(2)}.  ${score.toFixed(2)}  ${printable(fileName)}, page ${col}`,
    `          ${savedTo ?? share.url}`,
  ];
}
