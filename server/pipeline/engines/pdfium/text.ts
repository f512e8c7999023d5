import type { Glyph } from "../layout/glyph.ts";
import { readLayout } from "../layout/layout.ts";
import type { Box, Point } from "../matrix.ts";
import { dividedWord } from "../words.ts";
import type { Library } from "./library.ts";

/** A page whose text PDFium has loaded. */
export interface TextPage {
  readonly page: number;
  readonly textPage: number;
  /** Whether its text lies on top of the page's content. */
  readonly isAdded?: boolean;
  /** Returns whether a character is visible; undefined if all are visible. */
  readonly isShown?: ((character: number) => boolean) | undefined;
}

/** A character of a page, by its index in PDFium's text. */
export interface PageCharacter extends TextPage {
  readonly character: number;
}

/** A text with the character of each of its UTF-16 units; undefined for units without one, such as a line break. */
interface CharacterText {
  readonly text: string;
  readonly characters: readonly (PageCharacter | undefined)[];
}

/** PDFium's code for a word that is divided at the end of a line; some fonts use this code for a space. */
const hyphenCode = 0x02;
const lastCode = 0x10_ff_ff;

/** Cosine of one degree: text within this angle counts as parallel to an edge of the page. */
const along = 0.9998;
/**
 * Font size as a share of the height, used if the declared size is below the minimum share: fonts made of pictures have their own
 * units.
 */
const sizeOfHeight = 0.7;
const minSizeOfHeight = 0.35;

const floatBytes = 4;
const doubleBytes = 8;

/** Reads the text of overlaid pages in reading order, determined by positions. */
export function readText(library: Library, pages: readonly TextPage[]): CharacterText {
  const shown = pages.flatMap((page) => glyphsOf(library, page));
  const { text, glyphs } = readLayout(shown);
  return { text, characters: glyphs.map((glyph) => shown[glyph]?.source) };
}

/** A glyph; `source` is the first of its characters. */
interface CharacterGlyph extends Glyph {
  readonly source: PageCharacter;
}

/** A text object, whose characters are on one line except in vertical writing. */
interface TextObject {
  readonly handle: number;
  /** The direction of its line. */
  readonly dx: number;
  readonly dy: number;
  /** Font size along the line. */
  readonly size: number;
}

/** Returns the characters on the page, without the spaces and line breaks that PDFium adds at gaps. */
function glyphsOf(library: Library, { page, textPage, isShown, isAdded = false }: TextPage): readonly CharacterGlyph[] {
  const { functions, quick, call, scratch } = library;
  const found: CharacterGlyph[] = [];
  let last: Drawn | undefined;
  let object: TextObject | undefined;
  let origin = { x: 0, y: 0 };
  /** The edge of the last character with a known origin; the other characters of its line have the same edge. */
  let lineEdge = NaN;
  /** PDFium sees a gap before the character. */
  let isAfterGap = false;

  const read = (query: CharacterQuery): void => {
    const { character } = query;
    const box = looseBox(query);
    if (box === undefined) return;
    if (box.left === box.right && box.top === box.bottom) {
      isAfterGap = true;
      return;
    }
    const handle = quick.FPDFText_GetTextObject(textPage, character);
    if (object?.handle !== handle) {
      object = textObject(query, handle, box);
      lineEdge = NaN;
    }
    const { dx, dy, size } = object;
    const edge = dy === 0 ? box.top : box.left;
    if (edge !== lineEdge) origin = originOf(query);
    lineEdge = edge;
    const code = quick.FPDFText_GetUnicode(textPage, character) >>> 0;
    const text = textOf(query, code);
    const drawn = { handle, box, part: box.right - box.left, hasMark: isMark(code) };
    const before = found.at(-1);
    if (before !== undefined && last !== undefined && isOneDrawing(last, drawn)) {
      last = { ...last, box: around(last.box, box) };
      found[found.length - 1] = {
        ...before,
        text: marksBehind(before.text, text),
        ...placeOf(object, last.box, origin),
      };
      return;
    }
    last = drawn;
    const { x, y, advance } = placeOf(object, drawn.hasMark ? inkBox(query, box) : box, origin);
    if (isAfterGap && before !== undefined) found[found.length - 1] = withoutOverhang(query, before, x);
    isAfterGap = false;
    found.push({ source: { page, textPage, character }, text, x, y, advance, dx, dy, size, isAdded });
  };

  scratch(4 * doubleBytes, (pointer) => {
    call(() => {
      const count = functions.FPDFText_CountChars(textPage);
      for (let character = 0; character < count; character++) {
        if (isShown?.(character) !== false) read({ library, textPage, character, pointer });
      }
    });
  });
  return found;
}

/**
 * Narrows the glyph before a gap that PDFium reports. Its box includes ink beyond its advance, such as that of an italic f, and
 * would fill the gap. `next` is the start of the glyph after the gap.
 */
function withoutOverhang(query: CharacterQuery, glyph: CharacterGlyph, next: number): CharacterGlyph {
  const { x, dx, advance, size, source } = glyph;
  const gap = next - x - advance;
  if (dx !== 1 || gap >= leastGap * size || gap < -leastGap * size) return glyph;
  const { right } = inkBox(
    { ...query, character: source.character },
    { left: x, right: x + advance, top: 0, bottom: 0 },
  );
  return right < x + advance - hair ? glyph : { ...glyph, advance: Math.max(0, next - leastGap * size - x) };
}

/** Smallest gap that PDFium reports, in ems. */
const leastGap = 0.2;

/** A character, or characters that are drawn as one. */
interface Drawn {
  readonly handle: number;
  readonly box: Box;
  /** The width of each character's box. */
  readonly part: number;
  readonly hasMark: boolean;
}

const hair = 0.02;

/**
 * Whether a letter and its mark are two characters that are drawn as one glyph (ActualText, ISO 32000-1, 14.9.4): PDFium then
 * cuts the glyph's box into equal parts, in any order.
 */
function isOneDrawing(one: Drawn, other: Drawn): boolean {
  if (one.handle !== other.handle || !(one.hasMark || other.hasMark)) return false;
  const isSame = (a: number, b: number): boolean => Math.abs(a - b) < hair;
  return (
    isSame(one.part, other.part) &&
    isSame(one.box.top, other.box.top) &&
    isSame(one.box.bottom, other.box.bottom) &&
    (isSame(one.box.right, other.box.left) || isSame(one.box.left, other.box.right))
  );
}

const around = (one: Box, other: Box): Box => ({
  left: Math.min(one.left, other.left),
  top: Math.max(one.top, other.top),
  right: Math.max(one.right, other.right),
  bottom: Math.min(one.bottom, other.bottom),
});

const marksBehind = (text: string, next: string): string => (/^\p{M}+$/u.test(text) ? next + text : text + next);

interface CharacterQuery {
  readonly library: Library;
  readonly textPage: number;
  readonly character: number;
  /** A buffer for PDFium's results. */
  readonly pointer: number;
}

function textOf({ library: { functions }, textPage, character }: CharacterQuery, code: number): string {
  if (code === hyphenCode && functions.FPDFText_IsHyphen(textPage, character) === 1) return dividedWord;
  return code > lastCode || code === 0 ? " " : String.fromCodePoint(code);
}

/** Returns a box with the width that the font declares and the height of the font. */
function looseBox({ library: { quick, view }, textPage, character, pointer }: CharacterQuery): Box | undefined {
  if (quick.FPDFText_GetLooseCharBox(textPage, character, pointer) === 0) return undefined;
  const heap = view();
  return {
    left: heap.getFloat32(pointer, true),
    top: heap.getFloat32(pointer + floatBytes, true),
    right: heap.getFloat32(pointer + 2 * floatBytes, true),
    bottom: heap.getFloat32(pointer + 3 * floatBytes, true),
  };
}

/** Returns a box as wide as the ink, because fonts declare no width for marks, or that of a letter. */
function inkBox({ library: { functions, view }, textPage, character, pointer }: CharacterQuery, loose: Box): Box {
  const [right, bottom, top] = [pointer + doubleBytes, pointer + 2 * doubleBytes, pointer + 3 * doubleBytes];
  if (!functions.FPDFText_GetCharBox(textPage, character, pointer, right, bottom, top)) return loose;
  const heap = view();
  return { ...loose, left: heap.getFloat64(pointer, true), right: heap.getFloat64(right, true) };
}

function originOf({ library: { quick, view }, textPage, character, pointer }: CharacterQuery): Point {
  quick.FPDFText_GetCharOrigin(textPage, character, pointer, pointer + doubleBytes);
  const heap = view();
  return { x: heap.getFloat64(pointer, true), y: heap.getFloat64(pointer + doubleBytes, true) };
}

function textObject({ library, textPage, character, pointer }: CharacterQuery, handle: number, box: Box): TextObject {
  const { functions, view } = library;
  const fontSize = functions.FPDFText_GetFontSize(textPage, character);
  // FS_MATRIX: a, b, c, d, e, f. (a, b) is the direction of the line.
  const hasMatrix = functions.FPDFText_GetMatrix(textPage, character, pointer);
  const heap = view();
  const [a, b] = hasMatrix ? [heap.getFloat32(pointer, true), heap.getFloat32(pointer + floatBytes, true)] : [1, 0];
  const scale = Math.hypot(a, b) || 1;
  const way = fontSize < 0 ? -1 : 1;
  const [dx, dy] = direction((way * a) / scale, (way * b) / scale);
  const height = dy === 0 ? box.top - box.bottom : box.right - box.left;
  const size = Math.abs(fontSize) * scale;
  return { handle, dx, dy, size: size < minSizeOfHeight * height ? sizeOfHeight * height : size };
}

/** Snaps a direction to the edge of the page that it is parallel to. */
function direction(dx: number, dy: number): readonly [number, number] {
  if (Math.abs(dx) >= along) return [Math.sign(dx), 0];
  if (Math.abs(dy) >= along) return [0, Math.sign(dy)];
  return [dx, dy];
}

function placeOf(
  { dx, dy, size }: TextObject,
  { left, top, right, bottom }: Box,
  origin: Point,
): Pick<Glyph, "x" | "y" | "advance"> {
  if (dy === 0) return { x: dx > 0 ? left : right, y: origin.y, advance: right - left };
  if (dx === 0) return { x: origin.x, y: dy > 0 ? bottom : top, advance: top - bottom };
  return { ...origin, advance: size / 2 };
}

/** Whether a code point is a mark of Latin, Hebrew or Arabic letters. */
const isMark = (code: number): boolean =>
  code >= 0x3_00 && (code <= 0x3_6f || (code >= 0x5_91 && code <= 0x5_c7) || (code >= 0x6_4b && code <= 0x6_5f));
