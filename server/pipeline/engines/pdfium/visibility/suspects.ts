import type { Box } from "../../matrix.ts";
import type { Library } from "../library.ts";
import { isWithinClips, withinClips } from "./clip.ts";
import { isInvisible, middleOf, objectTypes, overlap, type PageObject } from "./objects.ts";

/** Texts of a page that may be hidden, grouped by the check that they need. */
interface Suspects {
  /** Text without ink and without a picture in its place: it is invisible. */
  readonly inkless: readonly PageObject[];
  /** Text that may be covered, clipped, or in the colour of its background. */
  readonly texts: readonly PageObject[];
  /**
   * The text layer of a scan, which lies under the picture or leaves no ink. Something may cover the picture where the text is.
   */
  readonly scanned: readonly PageObject[];
  /** The pictures of the scan. */
  readonly scans: readonly PageObject[];
}

const intBytes = 4;

type Colour = readonly [red: number, green: number, blue: number, opacity: number];

/** An object that can cover text, or be its background. */
interface Solid {
  readonly object: PageObject;
  /** The part of the object's region within its clips. */
  readonly region: Box;
  readonly at: number;
  readonly colour: Colour | undefined;
}

/** Levels of 255: colours from here on count as white, and colours within this distance count as equal. */
const nearlyWhite = 225;
const nearly = 30;
const nearlyTransparent = 30;
/** Minimum thickness in points of a line that can cover letters. */
const thick = 3;
/** Minimum share of the page that the pictures of a scan cover. */
const scanShare = 0.85;
/** Minimum share of a side of the page that a strip of a scan spans. */
const stripShare = 0.9;

export function findSuspects(
  library: Library,
  page: Box,
  all: readonly PageObject[],
  texts: ReadonlySet<PageObject>,
): Suspects {
  const { quick, call } = library;
  const images = all.filter(({ type }) => type === objectTypes.image);
  const scans = new Set(scansAmong(images, page));
  const solids: Solid[] = all
    .map((object, at) => ({ object, at }))
    .filter(({ object }) => !scans.has(object) && isSolid(library, object))
    .map(({ object, at }) => ({
      object,
      region: withinClips(library, object),
      at,
      colour: object.type === objectTypes.path ? fillOf(library, object) : undefined,
    }));
  const inkless: PageObject[] = [];
  const unsure: PageObject[] = [];
  const scanned: PageObject[] = [];
  const lastScan = all.findLastIndex((object) => scans.has(object));
  for (const [at, text] of all.entries()) {
    if (!texts.has(text) || !overlap(text.region, page)) continue;
    const middle = middleOf(text.region);
    const near = solids.filter(({ object, region }) => overlap(region, middle) && isTall(object, middle));
    const isInkless = isInvisible(call(() => quick.FPDFTextObj_GetTextRenderMode(text.handle)));
    if (isInkless && !images.some(({ region }) => overlap(region, text.region))) inkless.push(text);
    else if (isInkless || at < lastScan) {
      if (near.some((solid) => solid.at > Math.max(at, lastScan))) scanned.push(text);
    } else if (mayBeUnseen(library, { text, at, near })) unsure.push(text);
  }
  return { inkless, texts: unsure, scanned, scans: [...scans] };
}

interface TextInPlace {
  readonly text: PageObject;
  readonly at: number;
  readonly near: readonly Solid[];
}

function mayBeUnseen(library: Library, { text, at, near }: TextInPlace): boolean {
  if (near.some((solid) => solid.at > at)) return true;
  const colour = fillOf(library, text);
  const isFaint =
    colour !== undefined &&
    (colour[3] <= nearlyTransparent || Math.min(colour[0], colour[1], colour[2]) >= nearlyWhite);
  return isFaint || near.some((solid) => isAlike(colour, solid.colour)) || !isWithinClips(library, text);
}

/** Returns the pictures that cover the page, alone or as strips from edge to edge. */
function scansAmong(images: readonly PageObject[], page: Box): readonly PageObject[] {
  const [width, height] = [page.right - page.left, page.top - page.bottom];
  const partOf = ({ region }: PageObject): { readonly across: number; readonly up: number } => ({
    across: (Math.min(region.right, page.right) - Math.max(region.left, page.left)) / width,
    up: (Math.min(region.top, page.top) - Math.max(region.bottom, page.bottom)) / height,
  });
  const strips = images.filter((image) => Math.max(partOf(image).across, partOf(image).up) >= stripShare);
  const share = strips.map((strip) => partOf(strip).across * partOf(strip).up).reduce((sum, one) => sum + one, 0);
  return share >= scanShare ? strips : [];
}

function isSolid({ functions, call, scratch, view }: Library, { handle, type }: PageObject): boolean {
  if (type !== objectTypes.path) return type === objectTypes.image || type === objectTypes.shading;
  return scratch(2 * intBytes, (pointer) => {
    call(() => functions.FPDFPath_GetDrawMode(handle, pointer, pointer + intBytes));
    const [isFilled, isStroked] = [
      view().getInt32(pointer, true) !== 0,
      view().getInt32(pointer + intBytes, true) !== 0,
    ];
    if (isFilled || !isStroked) return isFilled;
    call(() => functions.FPDFPageObj_GetStrokeWidth(handle, pointer));
    return view().getFloat32(pointer, true) >= thick;
  });
}

/** Whether an object is as high as the middle of the text, unlike a rule above, below or through it. */
function isTall({ region }: PageObject, middle: Box): boolean {
  return (
    region.top - region.bottom >= middle.top - middle.bottom && region.right - region.left >= middle.top - middle.bottom
  );
}

/** Returns the fill colour of an object; undefined for a pattern. */
function fillOf({ quick, call, scratch, view }: Library, { handle }: PageObject): Colour | undefined {
  return scratch(4 * intBytes, (pointer) => {
    const at = (place: number): number => pointer + place * intBytes;
    if (call(() => quick.FPDFPageObj_GetFillColor(handle, at(0), at(1), at(2), at(3))) === 0) return undefined;
    const part = (place: number): number => view().getUint32(at(place), true);
    return [part(0), part(1), part(2), part(3)];
  });
}

function isAlike(one: Colour | undefined, other: Colour | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return [0, 1, 2].every((channel) => Math.abs((one[channel] ?? 0) - (other[channel] ?? 0)) <= nearly);
}
