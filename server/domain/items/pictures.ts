import type { Domain } from "../domain.ts";
import { DomainError } from "../errors.ts";
import { openRendered } from "../shares/rendered.ts";
import type { PictureWidth } from "../shares/picture-width.ts";
import { renditionTypes } from "../shares/rendition.ts";
import type { DatasetItem } from "./item.ts";
import type { Room } from "./room.ts";

/** As wide as a model reads a page well. */
export const defaultPictureWidth: PictureWidth = 1024;
/** Pages that are drawn ahead: there are two threads for what a caller waits for. */
const drawnAhead = 2;

interface PicturesAsked {
  readonly items: readonly DatasetItem[];
  readonly width: PictureWidth;
  readonly room: Room;
  readonly signal: AbortSignal;
}

/**
 * The pictures of the items' pages as data URLs, in their order, up to the first one that no longer fits. A page that cannot be
 * drawn has none.
 */
export async function picturesOf(
  domain: Domain,
  { items, width, room, signal }: PicturesAsked,
): Promise<ReadonlyMap<DatasetItem, string>> {
  const pictures = new Map<DatasetItem, string>();
  const drawing = new Map<DatasetItem, Promise<Buffer | undefined>>();
  const full = new AbortController();
  const either = AbortSignal.any([signal, full.signal]);
  const draw = (item: DatasetItem | undefined): void => {
    if (item === undefined) return;
    const picture = pictureOf(domain, item, width, either);
    // It is awaited later, or not at all where there is no room.
    picture.catch(() => undefined);
    drawing.set(item, picture);
  };
  for (const item of items.slice(0, drawnAhead)) draw(item);
  for (const [index, item] of items.entries()) {
    const bytes = await drawing.get(item);
    drawing.delete(item);
    if (bytes !== undefined) {
      const url = `data:${renditionTypes.jpg};base64,${bytes.toString("base64")}`;
      if (!room.take(url.length)) break;
      pictures.set(item, url);
    }
    draw(items[index + drawnAhead]);
  }
  full.abort();
  return pictures;
}

/** Undefined: the page cannot be drawn, or not in time. */
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
