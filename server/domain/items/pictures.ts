import type { Domain } from "../domain.ts";
import { DomainError } from "../errors.ts";
import { openRendered } from "../shares/rendered.ts";
import type { PictureWidth } from "../shares/picture-width.ts";
import { renditionTypes } from "../shares/rendition.ts";
import type { DatasetItem } from "./item.ts";
import type { ByteBudget } from "./room.ts";

/** Wide enough for a model to read a page well. */
export const defaultPictureWidth: PictureWidth = 1024;
/** Pages that are drawn ahead: two threads serve waiting callers. */
const drawnAhead = 2;

interface PicturesQuery {
  readonly items: readonly DatasetItem[];
  readonly width: PictureWidth;
  readonly budget: ByteBudget;
  readonly signal: AbortSignal;
}

/**
 * Draws the pages of the items as data URLs, in their order, until one no longer fits into the budget. A page that
 * cannot be drawn has none.
 */
export async function picturesOf(
  domain: Domain,
  { items, width, budget, signal }: PicturesQuery,
): Promise<ReadonlyMap<DatasetItem, string>> {
  const pictures = new Map<DatasetItem, string>();
  const drawing = new Map<DatasetItem, Promise<Buffer | undefined>>();
  const full = new AbortController();
  const either = AbortSignal.any([signal, full.signal]);
  const draw = (item: DatasetItem | undefined): void => {
    if (item === undefined) return;
    const picture = pictureOf(domain, item, width, either);
    // It is awaited later, or not at all if the budget is used up.
    picture.catch(() => undefined);
    drawing.set(item, picture);
  };
  for (const item of items.slice(0, drawnAhead)) draw(item);
  for (const [index, item] of items.entries()) {
    const bytes = await drawing.get(item);
    drawing.delete(item);
    if (bytes !== undefined) {
      const url = `data:${renditionTypes.jpg};base64,${bytes.toString("base64")}`;
      if (!budget.take(url.length)) break;
      pictures.set(item, url);
    }
    draw(items[index + drawnAhead]);
  }
  full.abort();
  return pictures;
}

/** Undefined if the page cannot be drawn, or not in time. */
async function pictureOf(
  domain: Domain,
  { datasetId, page }: DatasetItem,
  width: PictureWidth,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  try {
    const { open } = await openRendered(domain, { datasetId, page, row: "jpg", width }, signal);
    const chunks: Uint8Array[] = [];
    for await (const chunk of await open()) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof DomainError) return undefined;
    throw cause;
  }
}
