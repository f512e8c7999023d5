import type { Box } from "../../matrix.ts";
import type { Library } from "../library.ts";
import { objectsOfOffLayers } from "./layers.ts";
import { objectTypes, overlap, pageObjects, type PageObject, shownRegion } from "./objects.ts";
import { findSuspects } from "./suspects.ts";
import { type Changes, changesByTexts, changesWithout, nowhere } from "./without.ts";

const doubleBytes = 8;

/**
 * Finds which characters of a loaded page are visible when it is opened or printed (docs/decisions/0048-what-a-page-shows.md).
 * Returns undefined if all are visible.
 */
export function shownCharacters(
  library: Library,
  page: number,
  textPage: number,
): ((character: number) => boolean) | undefined {
  const seen = seenParts(library, page, pageObjects(library, page));
  if (seen.size === 0) return undefined;
  const hidden = new Set(
    characters(library, textPage, seen)
      .filter(({ isHidden }) => isHidden)
      .map(({ character }) => character),
  );
  return (character) => !hidden.has(character);
}

/** Returns the text objects of a loaded page that have characters but show nothing. */
export function hiddenTexts(library: Library, page: number, all: readonly PageObject[]): ReadonlySet<PageObject> {
  const { functions, quick, call } = library;
  const seen = seenParts(library, page, all);
  if (seen.size === 0) return new Set();
  const textPage = call(() => functions.FPDFText_LoadPage(page));
  if (textPage === 0) return new Set();
  const shown = new Set<number>();
  const saying = new Set<number>();
  for (const { object, character, isHidden } of characters(library, textPage, seen)) {
    if (!isHidden) shown.add(object);
    if (!blank.test(textOf(call(() => quick.FPDFText_GetUnicode(textPage, character))))) saying.add(object);
  }
  call(() => functions.FPDFText_ClosePage(textPage));
  return new Set(all.filter(({ handle }) => saying.has(handle) && !shown.has(handle)));
}

/** Returns, by the handle of each text object that may be partly hidden, a function that tells whether a part of it is shown. */
function seenParts(library: Library, page: number, all: readonly PageObject[]): ReadonlyMap<number, Changes> {
  const texts = all.filter(({ type }) => type === objectTypes.text);
  if (texts.length === 0) return new Map();
  const seen = new Map<number, Changes>();
  const off = objectsOfOffLayers(library, page, all, texts);
  const region = shownRegion(library, page);
  const {
    inkless,
    texts: unsure,
    scanned,
    scans,
  } = findSuspects(library, region, all, new Set(texts.filter((text) => !off.has(text))));
  if (unsure.length > 0)
    for (const [handle, changes] of changesByTexts(library, page, unsure)) seen.set(handle, changes);
  if (scanned.length > 0) {
    const { changes } = changesWithout(library, page, scans, scanned);
    for (const { handle } of scanned) seen.set(handle, changes);
  }
  for (const text of texts) {
    const before = seen.get(text.handle);
    if (isWithin(text.region, region)) continue;
    seen.set(text.handle, (part) => isMiddleWithin(part, region) && (before === undefined || before(part)));
  }
  for (const { handle } of [...off, ...inkless]) seen.set(handle, nowhere);
  return seen;
}

interface Character {
  readonly character: number;
  readonly object: number;
  readonly isHidden: boolean;
}

/** Returns the characters of these texts. A space, or a sign without ink, is as visible as the character before it. */
function characters(
  { quick, call, functions, scratch, view }: Library,
  textPage: number,
  seen: ReadonlyMap<number, Changes>,
): readonly Character[] {
  const found: Character[] = [];
  const count = call(() => functions.FPDFText_CountChars(textPage));
  let last = { object: 0, isHidden: false };
  scratch(4 * doubleBytes, (pointer) => {
    const at = (place: number): number => pointer + place * doubleBytes;
    for (let character = 0; character < count; character += 1) {
      const object = call(() => quick.FPDFText_GetTextObject(textPage, character));
      const changes = seen.get(object);
      if (changes === undefined) continue;
      // Left, right, bottom, top.
      call(() => quick.FPDFText_GetCharBox(textPage, character, at(0), at(1), at(2), at(3)));
      const edge = (place: number): number => view().getFloat64(at(place), true);
      const box = { left: edge(0), right: edge(1), bottom: edge(2), top: edge(3) };
      const isInkless =
        box.left === box.right ||
        box.bottom === box.top ||
        space.test(textOf(call(() => quick.FPDFText_GetUnicode(textPage, character))));
      const isHidden = isInkless ? last.object === object && last.isHidden : !changes(box);
      last = { object, isHidden };
      found.push({ character, object, isHidden: isHidden || changes === nowhere });
    }
  });
  return found;
}

const space = /\s/u;
/** Spaces and control characters. */
const blank = /[\s\p{Cc}]/u;

const textOf = (code: number): string => String.fromCodePoint(Math.min(code >>> 0, 0x10_ff_ff));

function isWithin(inner: Box, outer: Box): boolean {
  return (
    inner.left >= outer.left && inner.right <= outer.right && inner.bottom >= outer.bottom && inner.top <= outer.top
  );
}

function isMiddleWithin({ left, right, bottom, top }: Box, outer: Box): boolean {
  const [x, y] = [(left + right) / 2, (bottom + top) / 2];
  return overlap({ left: x, right: x, bottom: y, top: y }, outer);
}
