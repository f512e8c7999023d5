import type { Library } from "./library.ts";

/** A rectangle of a page, in its points. */
export interface PageBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface Character {
  readonly textPage: number;
  readonly character: number;
}

/** Fonts of the test documents are 0.8 to 1.45 of their size high; 1.7 those of mathematical signs, which hang down. */
const maxHeight = 1.6;
/** Of the size, above and below the line: the glyphs of most fonts, those with accents included. */
const above = 1;
const below = 0.3;

const floatBytes = 4;
const doubleBytes = 8;
/** Cosine of the angle to which text is taken to run along an edge of the page: a degree. */
const along = 0.9998;

/**
 * The box of a character without what its font only says that it needs: some give the box around all of their glyphs as their
 * height, which is that of three lines (Noto Sans JP is 2.86 of its size high). What is drawn stays inside.
 */
export function asHighAsLines(library: Library, at: Character, box: PageBox): PageBox {
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
  /** Whether the signs stand upright or on their heads; else they lie on their sides. */
  readonly isUpright: boolean;
  /** 1: their heads are where coordinates grow, -1: they are at the other side. */
  readonly direction: number;
  /** Of the font, in points of the page. */
  readonly size: number;
  readonly origin: { readonly x: number; readonly y: number };
}

/** Undefined where the character is no glyph, or runs along no edge of the page. */
function lineOf({ functions, call, scratch, view }: Library, { textPage, character }: Character): Line | undefined {
  return scratch(6 * floatBytes + 2 * doubleBytes, (pointer) => {
    if (!call(() => functions.FPDFText_GetMatrix(textPage, character, pointer))) return undefined;
    // FS_MATRIX: a, b, c, d, e, f. (c, d) is where the heads of the signs are.
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

/** What is drawn of it; nothing where PDFium does not know. */
function drawnBox({ functions, call, scratch, view }: Library, { textPage, character }: Character): PageBox {
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
