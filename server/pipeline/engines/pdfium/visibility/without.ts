import { areaOf, type Box } from "../../matrix.ts";
import type { Library } from "../library.ts";
import { bytesPerPixel, draw, type Pixels, setActive, toPixels, viewOf } from "./drawing.ts";
import { around, middleOf, overlap, type PageObject } from "./objects.ts";

const white = 0xffffffff;
/** Height in pixels at which the object of least height is drawn if that fits, and the minimum. */
const targetPixels = 14;
const minPixels = 6;
/** Maximum pixels per point when much of a page is drawn. */
const maxScale = 2.5;
/** Minimum change of a colour that a person sees, out of 255. */
const seenChange = 8;
/** Minimum share of a letter's box that must change. Slivers of letters that a covering bar leaves uncovered are smaller. */
const seenShare = 0.05;
/** Share of a whole text that changes if one of its signs is seen. */
const seenAtAll = 0.002;
/** Maximum groups of texts to draw separately, and the additional area in square points that costs hardly any time to draw. */
const maxGroups = 12;
const smallArea = 10_000;
/** Maximum objects of a page to leave out one by one, which takes two small drawings each. */
const maxSingle = 300;
/** Maximum objects among which to search for overlaps. */
const maxCompared = 3_000;

/** Whether a person sees a change in at least this share of a region of the page. */
export type Changes = (region: Box, share?: number) => boolean;

const unknown: Changes = () => true;
export const nowhere: Changes = () => false;

/**
 * Finds for each text of a page, by its handle, the places where it changes the drawing. It changes nothing where it is covered,
 * clipped, or in the colour of its background. All texts are left out at once, and texts in the same place one by one.
 */
export function changesByTexts(
  library: Library,
  page: number,
  texts: readonly PageObject[],
): ReadonlyMap<number, Changes> {
  const found = new Map<number, Changes>();
  const crowded: PageObject[] = [];
  for (const group of neighbours(texts)) {
    const { changes, scale } = changesWithout(library, page, texts, group);
    for (const text of group) {
      found.set(text.handle, changes);
      if (isCrowded(text, texts) || heightOf(text) * scale < minPixels) crowded.push(text);
    }
  }
  const hidden: PageObject[] = [];
  for (const text of crowded.slice(0, maxSingle)) {
    const { changes } = changesWithout(library, page, [text], [text]);
    found.set(text.handle, changes);
    if (changes(text.region, seenAtAll)) continue;
    // If two texts hide each other, one of them is seen.
    setActive(library, text, false);
    hidden.push(text);
  }
  for (const text of hidden) setActive(library, text, true);
  return found;
}

/** Groups texts that are close together, so that the space between groups need not be drawn. */
function neighbours(texts: readonly PageObject[]): readonly (readonly PageObject[])[] {
  const groups: { texts: PageObject[]; region: Box }[] = [];
  for (const text of texts) {
    const last = groups.at(-1);
    const region = last === undefined ? text.region : around([last.region, text.region]);
    const isClose = last !== undefined && areaOf(region) <= 2 * (areaOf(last.region) + areaOf(text.region)) + smallArea;
    if (last !== undefined && (isClose || groups.length >= maxGroups)) {
      last.texts.push(text);
      last.region = region;
    } else groups.push({ texts: [text], region });
  }
  return groups.map((group) => group.texts);
}

/** Finds the changes around some objects (`about`) when others (`out`) are left out. `scale` is in pixels per point. */
export function changesWithout(
  library: Library,
  page: number,
  out: readonly PageObject[],
  about: readonly PageObject[],
): { readonly changes: Changes; readonly scale: number } {
  const target = targetPixels / Math.min(...about.map(heightOf));
  const scale = about.length > 1 ? Math.min(maxScale, target) : target;
  const view = viewOf(library, page, around(about.map(({ region }) => region)), scale);
  if (view === undefined) return { changes: nowhere, scale: Infinity };
  const before = draw(library, page, view, white, (bytes) => bytes.slice());
  for (const object of out) setActive(library, object, false);
  const after = draw(library, page, view, white, (bytes) => bytes.slice());
  for (const object of out) setActive(library, object, true);
  if (before === undefined || after === undefined) return { changes: unknown, scale: Infinity };
  const across = view.pixels.right - view.pixels.left;
  const isSeen = (x: number, y: number): boolean => {
    const at = ((y - view.pixels.top) * across + x - view.pixels.left) * bytesPerPixel;
    return [0, 1, 2].some(
      (channel) => Math.abs((before[at + channel] ?? 0) - (after[at + channel] ?? 0)) >= seenChange,
    );
  };
  const changes: Changes = (region, share = seenShare) => {
    const { left, top, right, bottom } = wideEnough(toPixels(library, page, region, view));
    let seen = 0;
    for (let y = Math.max(top, view.pixels.top); y < Math.min(bottom, view.pixels.bottom); y += 1) {
      for (let x = Math.max(left, view.pixels.left); x < Math.min(right, view.pixels.right); x += 1) {
        if (isSeen(x, y)) seen += 1;
      }
    }
    return seen > 0 && seen >= share * (right - left) * (bottom - top);
  };
  return { changes, scale: view.height / library.call(() => library.functions.FPDF_GetPageHeightF(page)) };
}

/** Widens the boxes of signs as thin as a dash, which are smoothed into the pixels beside them. */
function wideEnough({ left, top, right, bottom }: Pixels): Pixels {
  const [across, down] = [right - left < minPixels ? 1 : 0, bottom - top < minPixels ? 1 : 0];
  return { left: left - across, top: top - down, right: right + across, bottom: bottom + down };
}

function heightOf({ region }: PageObject): number {
  return Math.max(0.1, Math.min(region.top - region.bottom, region.right - region.left));
}

/** Whether another object is in the same place, not just close above or below. */
function isCrowded(text: PageObject, all: readonly PageObject[]): boolean {
  if (all.length > maxCompared) return false;
  return all.some(
    (other) =>
      other !== text && (overlap(text.region, middleOf(other.region)) || overlap(middleOf(text.region), other.region)),
  );
}
