import { renditionPrefix } from "../datasets/dataset.ts";
import type { RenditionRow } from "../items/item.ts";
import type { RenditionRef } from "../ports/worker.ts";

/** Must change whenever the same page would be rendered to other bytes, so that caches drop the old ones. */
export const renditionVersion = 1;

/** Blob key of the rendition of a page. */
export function renditionKey({ datasetId, page, row, width }: RenditionRef): string {
  const sized = width === undefined ? "" : `-${width}`;
  return `${renditionPrefix(datasetId)}${renditionVersion}-${page}${sized}.${row}`;
}

export const renditionTypes: Readonly<Record<RenditionRow, string>> = {
  pdf: "application/pdf",
  jpg: "image/jpeg",
};
