import type { CharacterBox, ChosenCharacters } from "../engine.ts";
import type { Box } from "../matrix.ts";
import type { Library } from "./library.ts";
import { type PageCharacter, readText, type TextPage } from "./text.ts";

/** Side in pixels of the fictitious picture in which PDFium gives positions, because it rounds them to whole pixels. */
const finePixels = 1_000_000;

/** Returns the text of overlaid pages with the boxes of the chosen characters. */
export function characterBoxes(
  library: Library,
  pages: readonly TextPage[],
  choose: (text: string) => Iterable<number>,
): ChosenCharacters {
  const { text, characters } = readText(library, pages);
  const boxes = new Map<number, CharacterBox>();
  for (const unit of choose(text)) {
    const character = characters[unit];
    const box = character === undefined ? undefined : boxOf(library, character);
    if (box !== undefined) boxes.set(unit, box);
  }
  return { text, boxes };
}

const floatBytes = 4;
const intBytes = 4;

/**
 * Returns a box as high as the font or line, so that the boxes of a line are alike. Undefined if it is not on the page, such as a
 * line break.
 */
function boxOf(library: Library, { page, textPage, character }: PageCharacter): CharacterBox | undefined {
  const { functions, call, scratch, view } = library;
  return scratch(4 * floatBytes + 2 * intBytes, (pointer) => {
    if (!call(() => functions.FPDFText_GetLooseCharBox(textPage, character, pointer))) return undefined;
    // FS_RECTF: left, top, right, bottom.
    const edge = (place: number): number => view().getFloat32(pointer + place * floatBytes, true);
    const loose = { left: edge(0), top: edge(1), right: edge(2), bottom: edge(3) };
    const { left, top, right, bottom } = asHighAsLines(library, { textPage, character }, loose);
    const [x, y] = [pointer + 4 * floatBytes, pointer + 4 * floatBytes + intBytes];
    const shown = (pageX: number, pageY: number): readonly [number, number] => {
      call(() => functions.FPDF_PageToDevice(page, 0, 0, finePixels, finePixels, 0, pageX, pageY, x, y));
      return [view().getInt32(x, true) / finePixels, view().getInt32(y, true) / finePixels];
    };
    const [one, other] = [shown(left, top), shown(right, bottom)];
    const box = {
      left: Math.min(one[0], other[0]),
      top: Math.min(one[1], other[1]),
      right: Math.max(one[0], other[0]),
      bottom: Math.max(one[1], other[1]),
    };
    return box.right > box.left && box.bottom > box.top ? box : undefined;
  });
}

interface Character {
  readonly textPage: number;
  readonly character: number;
}

/**
 * Fonts of the test documents have heights of 0.8 to 1.45 times their size; fonts of mathematical signs, which hang down, have
 * 1.7.
 */
const maxHeight = 1.6;
/** Extent above and below the baseline as shares of the font size, which contains the glyphs of most fonts, even with accents. */
const above = 1;
const below = 0.3;

const doubleBytes = 8;
/** Cosine of one degree: text within this angle counts as parallel to an edge of the page. */
const along = 0.9998;

/**
 * Reduces a character's box to the usual height of a line. Some fonts declare the box around all their glyphs as their height,
 * which may be three lines (Noto Sans JP: 2.86 times its size). The box still contains the drawn glyph.
 */
function asHighAsLines(library: Library, at: Character, box: Box): Box {
  const line = lineOf(library, at);
  if (line === undefined) return box;
  const { isUpright, size, direction, origin } = line;
  const [low, high] = isUpright ? [box.bottom, box.top] : [box.left, box.right];
  if (high - low <= maxHeight * size) return box;
  const drawn = drawnBox(library, at);
  const [inkLow, inkHigh] = isUpright ? [drawn.bottom, drawn.top] : [drawn.left, drawn.right];
  const base = isUpright ? origin.y : origin.x;
  const ends = [base + direction * above * size, base - direction * below * size];
  const from = Math.max(low, Math.min(inkLow, ...ends));
  const to = Math.min(high, Math.max(inkHigh, ...ends));
  return isUpright ? { ...box, bottom: from, top: to } : { ...box, left: from, right: to };
}

interface Line {
  /** Whether the signs are upright or upside down; otherwise they lie on their sides. */
  readonly isUpright: boolean;
  /** 1 if the tops of the signs point to growing coordinates, -1 otherwise. */
  readonly direction: number;
  /** Font size in points of the page. */
  readonly size: number;
  readonly origin: { readonly x: number; readonly y: number };
}

/** Returns undefined if the character is not a glyph, or its line is not parallel to an edge of the page. */
function lineOf({ functions, call, scratch, view }: Library, { textPage, character }: Character): Line | undefined {
  return scratch(6 * floatBytes + 2 * doubleBytes, (pointer) => {
    if (!call(() => functions.FPDFText_GetMatrix(textPage, character, pointer))) return undefined;
    // FS_MATRIX: a, b, c, d, e, f. (c, d) points to the tops of the signs.
    const [c, d] = [2, 3].map((place) => view().getFloat32(pointer + place * floatBytes, true));
    const [x, y] = [pointer, pointer + doubleBytes];
    if (!call(() => functions.FPDFText_GetCharOrigin(textPage, character, x, y))) return undefined;
    const origin = { x: view().getFloat64(x, true), y: view().getFloat64(y, true) };
    const fontSize = call(() => functions.FPDFText_GetFontSize(textPage, character));
    const scale = Math.hypot(c ?? 0, d ?? 0);
    const [toRight, toTop] = [(c ?? 0) / scale, (d ?? 0) / scale];
    const isUpright = Math.abs(toTop) >= along;
    if (!isUpright && !(Math.abs(toRight) >= along)) return undefined;
    const size = Math.abs(fontSize) * scale;
    return size > 0
      ? { isUpright, direction: Math.sign(fontSize * (isUpright ? toTop : toRight)), size, origin }
      : undefined;
  });
}

/** Returns the box of the drawn glyph; an inverted box if PDFium does not know it. */
function drawnBox({ functions, call, scratch, view }: Library, { textPage, character }: Character): Box {
  return scratch(4 * doubleBytes, (pointer) => {
    const [left, right] = [pointer, pointer + doubleBytes];
    const [bottom, top] = [pointer + 2 * doubleBytes, pointer + 3 * doubleBytes];
    if (!call(() => functions.FPDFText_GetCharBox(textPage, character, left, right, bottom, top))) {
      return { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
    }
    const at = (place: number): number => view().getFloat64(place, true);
    return { left: at(left), right: at(right), bottom: at(bottom), top: at(top) };
  });
}
