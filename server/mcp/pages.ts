import type { ContentBlock } from "@modelcontextprotocol/server";
import { type Drs, DrsError, type Item } from "@drs/client";
import { bytesOf, clip, encodedBytes, maxPageBytes, maxPagesShown, textBlock } from "./budget.ts";

/** Widths in which drs draws pictures of pages, pixels. */
export const widths = [256, 512, 1024, 1568, 2000] as const;
export type Width = (typeof widths)[number];

/** A requested page, and the label above it. */
export interface WantedPage {
  readonly item: Item;
  readonly label: string;
}

/** The outcome of showing pages. */
export interface ShownPages {
  /** Each page follows its label. */
  readonly blocks: readonly ContentBlock[];
  /** Ids of the items that are among the blocks; all others are linked. */
  readonly shown: ReadonlySet<string>;
  /** The reasons why pages could not be shown, by the id of their item. */
  readonly failures: ReadonlyMap<string, string>;
}

interface Options {
  readonly drs: Drs;
  readonly signal: AbortSignal;
  /** Width of pictures. */
  readonly width?: Width;
}

/** Pages that are fetched concurrently. */
const pagesAtOnce = 4;

/**
 * Shows the first pages as blocks, as many as fit. If the very first one does not fit, a narrower picture of it is
 * shown, because a result with nothing to see is useless.
 */
export async function showPages(wanted: readonly WantedPage[], options: Options): Promise<ShownPages> {
  const { width } = options;
  const blocks: ContentBlock[] = [];
  const shown = new Set<string>();
  const failures = new Map<string, string>();
  let left = maxPageBytes;
  const mayShow = wanted.slice(0, maxPagesShown);
  for (let at = 0; at < mayShow.length; at += pagesAtOnce) {
    const batch = mayShow.slice(at, at + pagesAtOnce);
    const room = left;
    const opened = batch.map(async (page) => ({ page, first: await open(page, options, width, room) }));
    for (const { page, first } of await Promise.all(opened)) {
      const found = first === "too large" && shown.size === 0 ? await openNarrower(page, options, left) : first;
      if (found === "too large" || ("bytes" in found && found.bytes > left)) return { blocks, shown, failures };
      if ("reason" in found) {
        failures.set(page.item.id, found.reason);
        continue;
      }
      left -= found.bytes;
      blocks.push(textBlock(page.label), found.block);
      shown.add(page.item.id);
    }
  }
  return { blocks, shown, failures };
}

type Opened = { readonly block: ContentBlock; readonly bytes: number } | "too large" | { readonly reason: string };

async function openNarrower(page: WantedPage, options: Options, room: number): Promise<Opened> {
  const { width } = options;
  if (width === undefined) return "too large";
  for (const narrower of widths.filter((one) => one < width).toReversed()) {
    const found = await open(page, options, narrower, room);
    if (found !== "too large") return found;
  }
  return "too large";
}

async function open(
  { item, label }: WantedPage,
  { drs, signal }: Options,
  width: Width | undefined,
  room: number,
): Promise<Opened> {
  const { url } = item.share;
  const taken = bytesOf(textBlock(label));
  try {
    const { contentType, size, body, bytes } = await drs.download(width === undefined ? url : pictureUrl(url, width), {
      signal,
    });
    if (size !== undefined && encodedBytes(size) + taken > room) {
      await body.cancel();
      return "too large";
    }
    const data = Buffer.from(await bytes()).toString("base64");
    const block: ContentBlock =
      item.row === "pdf"
        ? { type: "resource", resource: { uri: uriOf(item), mimeType: contentType, blob: data } }
        : { type: "image", data, mimeType: contentType };
    const used = bytesOf(block) + taken;
    return used > room ? "too large" : { block, bytes: used };
  } catch (cause) {
    signal.throwIfAborted();
    // A page that cannot be drawn does not affect the others.
    if (cause instanceof DrsError) return { reason: clip(cause.message, 200) };
    throw cause;
  }
}

/** The link to a page's picture in another width than its default. */
export function pictureUrl(url: string, width: Width): string {
  const address = new URL(url);
  address.searchParams.set("width", String(width));
  return address.href;
}

/** The URI of a page among resources. */
function uriOf({ datasetId, col, row }: Pick<Item, "datasetId" | "col" | "row">): string {
  return `drs://datasets/${datasetId}/pages/${col}${row === "jpg" ? "" : `.${row}`}`;
}
