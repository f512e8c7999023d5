import type { Box } from "./box.ts";

/** Sheets go through a scanner up to about this slope, 5 degrees. */
const steepest = 0.0875;
const coarse = 0.005;
const fine = 0.0005;
/** Rows of the histogram, pixels: about a third of a small letter. */
const rowHeight = 3;
/** More letters make the slope no surer. */
const maxLetters = 4_000;
/** A slope must gather the letters' feet in fewer rows than none does by this factor, or chance decides. */
const clearly = 1.05;

/** Pixels down for each to the right, along the lines: the slope at which the feet of letters share the fewest rows. */
export function skewOf(letters: readonly Box[]): number {
  const step = Math.max(1, Math.ceil(letters.length / maxLetters));
  const feet = letters.filter((_, index) => index % step === 0);
  if (feet.length < 20) return 0;
  const rough = best(feet, -steepest, steepest, coarse);
  const slope = best(feet, rough - coarse, rough + coarse, fine);
  return gathering(feet, slope) > clearly * gathering(feet, 0) ? slope : 0;
}

function best(feet: readonly Box[], from: number, to: number, step: number): number {
  let found = 0;
  let most = 0;
  for (let index = 0; from + index * step <= to + step / 2; index += 1) {
    const slope = from + index * step;
    const score = gathering(feet, slope);
    if (score > most) {
      most = score;
      found = slope;
    }
  }
  return found;
}

/** The squares of how many feet each row has, added up: the largest where they are gathered in the fewest. */
function gathering(feet: readonly Box[], slope: number): number {
  const rows = new Map<number, number>();
  for (const { left, right, bottom } of feet) {
    const at = (bottom - (slope * (left + right)) / 2) / rowHeight;
    const row = Math.floor(at);
    // A foot between two rows counts in both, or the score would depend on where rows happen to begin.
    rows.set(row, (rows.get(row) ?? 0) + (row + 1 - at));
    rows.set(row + 1, (rows.get(row + 1) ?? 0) + (at - row));
  }
  let sum = 0;
  for (const count of rows.values()) sum += count * count;
  return sum;
}
