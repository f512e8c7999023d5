import type { Box } from "./box.ts";

/** Sheets go through a scanner with up to about this slope, 5 degrees. */
const steepest = 0.0875;
const coarse = 0.005;
const fine = 0.0005;
/** Rows of the histogram, pixels: about a third of a small letter. */
const rowHeight = 3;
/** More letters do not make the slope more certain. */
const maxLetters = 4_000;
/** A slope must score better than no slope by this factor; otherwise the difference is chance. */
const clearly = 1.05;

/** The lines' slope, in pixels down for each to the right: the slope at which the feet of letters share the fewest rows. */
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

/** The sum of the squared numbers of feet in each row, which is largest if they share the fewest rows. */
function gathering(feet: readonly Box[], slope: number): number {
  const rows = new Map<number, number>();
  for (const { left, right, bottom } of feet) {
    const at = (bottom - (slope * (left + right)) / 2) / rowHeight;
    const row = Math.floor(at);
    // A foot between two rows counts in both; otherwise the score would depend on where rows happen to begin.
    rows.set(row, (rows.get(row) ?? 0) + (row + 1 - at));
    rows.set(row + 1, (rows.get(row + 1) ?? 0) + (at - row));
  }
  let sum = 0;
  for (const count of rows.values()) sum += count * count;
  return sum;
}
