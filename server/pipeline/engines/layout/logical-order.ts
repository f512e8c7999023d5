import type { Placed } from "./glyph.ts";
import type { Run } from "./runs.ts";

/**
 * The glyphs of a line in the order in which they are read, from its runs from left to right. Runs are right in themselves.
 * The line runs the way that most of its letters do, and each stretch of runs the other way is turned around (Unicode UAX #9,
 * as far as it takes two directions).
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

/** Signs without a direction go with the line; numbers run from left to right in every script. */
function isRunReversed({ glyphs }: Run, isLineReversed: boolean): boolean {
  if (glyphs.some(({ isRightToLeft }) => isRightToLeft)) return true;
  return isLineReversed && !glyphs.some(({ isLetter, text }) => isLetter || /\p{N}/u.test(text));
}

/** Marks of runs that have nothing else, as where another font has them. */
function strayMarks(runs: readonly Run[]): ReadonlySet<Placed> {
  return new Set(runs.filter(({ glyphs }) => glyphs.every(({ isMark }) => isMark)).flatMap(({ glyphs }) => glyphs));
}

/** A line of ten thousand letters with a hundred marks; real ones have a hundredth. */
const maxComparisons = 1_000_000;

/** Puts marks behind the letters that they stand on, or else that they follow. */
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
      // Under it: by how far it is from the middle; beyond it: by how far behind, after all that it is under.
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
