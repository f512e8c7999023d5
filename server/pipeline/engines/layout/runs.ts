import { isSameLine, type Placed, withMark } from "./glyph.ts";

/** Glyphs that were drawn one after another and stand one beside the other, spaces left out. */
export interface Run {
  readonly angle: number;
  readonly base: number;
  readonly size: number;
  readonly glyphs: Placed[];
  /** Spaces included. */
  start: number;
  end: number;
}

/** Ems: a gap that may be that of a word, or of a letter that another font has. */
const maxGap = 0.08;
/** Ems that a glyph may begin before the one that was drawn before it, as letters under their accents do. */
const maxBack = 0.35;
/** Ems that the middle of a mark may be beside the letter that it is on. */
const markReach = 0.1;

/** `glyphs`: as they were drawn. */
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
