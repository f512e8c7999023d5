import type { Placed, Run } from "./glyph.ts";

/**
 * Returns the glyphs of a line in reading order. The runs are given from left to right, and the order within each is correct. The
 * line runs in the direction of most of its letters, and each stretch of runs in the other direction is reversed (the part of
 * Unicode UAX #9 that two directions need).
 */
export function inLogicalOrder(runs: readonly Run[]): readonly Placed[] {
  const glyphs = runs.flatMap((run) => run.glyphs);
  const rights = glyphs.filter(({ isRightToLeft }) => isRightToLeft).length;
  if (rights === 0) return runs.length === 1 ? glyphs : withMarks(glyphs, strayMarks(runs), false);
  const letters = glyphs.filter(({ isLetter }) => isLetter).length;
  const isLineReversed = 2 * rights >= letters;
  const ordered: Run[] = [];
  let stretch: Run[] = [];
  let isStretchReversed = isLineReversed;
  const flush = (): void => {
    ordered.push(...(isStretchReversed === isLineReversed ? stretch : stretch.toReversed()));
    stretch = [];
  };
  for (const run of isLineReversed ? runs.toReversed() : runs) {
    const isReversed = isRunReversed(run, isLineReversed);
    if (isReversed !== isStretchReversed) flush();
    isStretchReversed = isReversed;
    stretch.push(run);
  }
  flush();
  const inOrder = ordered.flatMap((run) => run.glyphs);
  return withMarks(inOrder, new Set(inOrder.filter(({ isMark }) => isMark)), true);
}

/** Whether a run is reversed: signs without a direction follow the line, but numbers run from left to right in every script. */
function isRunReversed({ glyphs }: Run, isLineReversed: boolean): boolean {
  if (glyphs.some(({ isRightToLeft }) => isRightToLeft)) return true;
  return isLineReversed && !glyphs.some(({ isLetter, text }) => isLetter || /\p{N}/u.test(text));
}

/** Returns the marks in runs that have nothing else, for example from another font. */
function strayMarks(runs: readonly Run[]): ReadonlySet<Placed> {
  return new Set(runs.filter(({ glyphs }) => glyphs.every(({ isMark }) => isMark)).flatMap(({ glyphs }) => glyphs));
}

/**
 * Maximum product of letters and marks: a line of ten thousand letters with a hundred marks. Real lines have a hundredth of it.
 */
const maxComparisons = 1_000_000;

/** Puts each mark after the letter that it stands on, or else after the nearest one. */
function withMarks(glyphs: readonly Placed[], marks: ReadonlySet<Placed>, isReversed: boolean): readonly Placed[] {
  if (marks.size === 0 || marks.size * glyphs.length > maxComparisons) return glyphs;
  const letters = glyphs.filter((glyph) => !marks.has(glyph));
  const owned = new Map<Placed | undefined, Placed[]>();
  for (const mark of marks) {
    const middle = (mark.start + mark.end) / 2;
    let owner: Placed | undefined;
    let nearest = Infinity;
    for (const letter of letters) {
      const isAhead = isReversed ? middle > letter.end : middle < letter.start;
      // For a letter under the mark the distance of their middles counts, otherwise the gap, which ranks after all letters under
      // the mark.
      const isUnder = middle >= letter.start && middle <= letter.end;
      const distance = isUnder
        ? Math.abs(middle - (letter.start + letter.end) / 2)
        : 1e6 + (isReversed ? letter.start - middle : middle - letter.end);
      if (isAhead || distance >= nearest) continue;
      [nearest, owner] = [distance, letter];
    }
    owned.set(owner, [...(owned.get(owner) ?? []), mark]);
  }
  return [...(owned.get(undefined) ?? []), ...letters.flatMap((letter) => [letter, ...(owned.get(letter) ?? [])])];
}
