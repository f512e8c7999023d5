import { isSameLine, type Placed, withMark } from "./glyph.ts";

/** Glyphs that were drawn one after another and are beside each other, without spaces. */
export interface Run {
  readonly angle: number;
  readonly base: number;
  readonly size: number;
  readonly glyphs: Placed[];
  /** The extent of the run, including spaces. */
  start: number;
  end: number;
}

/** Maximum gap within a run in ems; a larger one may separate words, or surround a letter of another font. */
const maxGap = 0.08;
/** Maximum ems that a glyph may begin before the previously drawn one, such as a letter under its accent. */
const maxBack = 0.35;
/** Maximum ems between the middle of a mark and its letter. */
const markReach = 0.1;

/** Groups glyphs, which are in drawing order, into runs. */
export function runsOf(glyphs: readonly Placed[]): Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  let last: Placed | undefined;
  for (const glyph of glyphs) {
    if (run === undefined || last === undefined || !isBeside(last, glyph)) {
      last = glyph;
      run = undefined;
      if (glyph.isSpace) continue;
      const { angle, base, size, start, end } = glyph;
      run = { angle, base, size, start, end, glyphs: [glyph] };
      runs.push(run);
      continue;
    }
    if (!glyph.isSpace) run.glyphs.push(glyph);
    run.start = Math.min(run.start, glyph.start);
    run.end = Math.max(run.end, glyph.end);
    last = glyph.isMark ? withMark(last, glyph) : glyph;
  }
  return runs;
}

function isBeside(last: Placed, next: Placed): boolean {
  if (!isSameLine(last, next)) return false;
  const size = Math.max(last.size, next.size);
  const middle = (next.start + next.end) / 2;
  const reach = markReach * size;
  if (next.isMark && middle >= last.start - reach && middle <= last.end + reach) return true;
  return last.isRightToLeft || next.isRightToLeft
    ? last.start - next.end <= maxGap * size && next.end <= last.end + maxBack * size
    : next.start - last.end <= maxGap * size && next.start >= last.start - maxBack * size;
}
