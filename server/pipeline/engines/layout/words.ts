import { type Placed, withMark } from "./glyph.ts";
import type { Row } from "./lines.ts";

/** A glyph of a row, and whether a word begins with it. */
interface RowGlyph {
  readonly glyph: Placed;
  isFirst: boolean;
}

/** Minimum ems by which a gap between words exceeds the usual gap between letters; fonts kern by less. */
const wordGap = 0.1;
/** The same for rows with written spaces, which need no gaps except between cells and columns. */
const spacedWordGap = 0.16;
/** Maximum gap between letters, in ems. */
const maxLetterGap = 0.7;
/** Gaps of at most this many ems count as none. */
const kerning = 0.03;
/** Minimum number of gaps between letters to determine the usual gap. */
const minLetterGaps = 3;
/** Minimum letters of a letter-spaced word. */
const minApart = 4;
/** Minimum ratio of gaps between words to gaps between letters of a letter-spaced word. */
const widerGap = 1.4;

const cased = /^[\p{Lu}\p{Ll}\p{Lt}]\p{M}*$/u;

/** Finds words by the gaps between glyphs, compared with the usual gap of the row, and by written spaces. */
export function wordsOf(row: Row): readonly RowGlyph[] {
  const gaps = gapsOf(row);
  const usual = usualGap(gaps);
  const isSpaced = gaps.some(({ isWritten }) => isWritten);
  const limit = usual + (isSpaced ? spacedWordGap : wordGap);
  const glyphs = gaps.map(({ glyph, size, isWritten }) => ({ glyph, isFirst: isWritten || size > limit }));
  joinApart(glyphs, gaps);
  return glyphs;
}

interface Gap {
  /** The glyph after the gap. */
  readonly glyph: Placed;
  /** Ems; -Infinity before the first glyph. */
  readonly size: number;
  /** Whether it contains a written space. */
  readonly isWritten: boolean;
  readonly isBetweenLetters: boolean;
}

function gapsOf(row: Row): readonly Gap[] {
  const gaps: Gap[] = [];
  let before: Placed | undefined;
  for (const { glyphs } of row) {
    for (const glyph of glyphs) {
      if (before === undefined) {
        gaps.push({ glyph, size: -Infinity, isWritten: false, isBetweenLetters: false });
      } else {
        gaps.push({
          glyph,
          size: gapBetween(before, glyph) / Math.max(glyph.size, before.size),
          isWritten: glyph.isAfterSpace && !glyph.isMark,
          isBetweenLetters: before.isLetter && glyph.isLetter,
        });
      }
      before = before !== undefined && glyph.isMark ? withMark(before, glyph) : glyph;
    }
  }
  return gaps;
}

/** Returns the gap in the direction of the script; a jump in the other direction is a gap as well. */
function gapBetween(before: Placed, glyph: Placed): number {
  const [ahead, back] = [glyph.start - before.end, before.start - glyph.end];
  if (before.isRightToLeft || glyph.isRightToLeft) return Math.max(ahead, back);
  return back >= 0 ? Infinity : ahead;
}

/** Returns the median gap between letters: positive if they are letter-spaced, negative if a font's widths are too large. */
function usualGap(gaps: readonly Gap[]): number {
  const between = gaps.filter(
    ({ size, isWritten, isBetweenLetters }) => isBetweenLetters && !isWritten && size <= maxLetterGap,
  );
  const close = between.filter(({ size }) => Math.abs(size) <= kerning).length;
  // Returns early for nearly all rows, so that their gaps need not be sorted.
  if (between.length < minLetterGaps || 2 * close > between.length) return 0;
  const sizes = between.map(({ size }) => size).toSorted((one, other) => one - other);
  return sizes[sizes.length >> 1] ?? 0;
}

/** Joins consecutive single letters: a letter-spaced word, even if the letters are separated by written spaces. */
function joinApart(glyphs: RowGlyph[], gaps: readonly Gap[]): void {
  let from = 0;
  const isAlone = (at: number): boolean =>
    glyphs[at] !== undefined &&
    cased.test(glyphs[at].glyph.text) &&
    (at === 0 || glyphs[at].isFirst) &&
    glyphs[at + 1]?.isFirst !== false &&
    (at === from || (gaps[at]?.size ?? Infinity) <= 2 * maxLetterGap);
  while (from < glyphs.length) {
    if (!isAlone(from)) {
      from += 1;
      continue;
    }
    let to = from + 1;
    while (isAlone(to)) to += 1;
    const within = gaps.slice(from + 1, to).map(({ size }) => size);
    const usual = within.toSorted((one, other) => one - other)[within.length >> 1] ?? 0;
    if (to - from >= minApart && usual <= maxLetterGap) {
      within.forEach((size, index) => {
        const glyph = glyphs[from + 1 + index];
        if (glyph !== undefined) glyph.isFirst = size > widerGap * usual;
      });
    }
    from = to;
  }
}
