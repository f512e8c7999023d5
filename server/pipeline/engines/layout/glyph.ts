/** A character and its position on a page. Lengths are in units of the page, whose y grows upwards. */
export interface Glyph {
  /** One character, or several of a ligature. White space is a space that the page's author wrote. */
  readonly text: string;
  /** The start of the glyph on its baseline. */
  readonly x: number;
  readonly y: number;
  /** The direction of its line as a unit vector. */
  readonly dx: number;
  readonly dy: number;
  /** The glyph's extent along its line. */
  readonly advance: number;
  /** An em of its font along the line. */
  readonly size: number;
  /** Whether the glyph belongs to something on top of the page's content, such as the value of a field. */
  readonly isAdded?: boolean;
}

/** A glyph in the coordinates of its line: `start` and `end` along it, `base` across it. */
export interface Placed {
  /** Its index among the given glyphs. */
  readonly index: number;
  readonly text: string;
  /** The angle of its line, in whole degrees. All glyphs of a line have the same angle. */
  readonly angle: number;
  readonly start: number;
  readonly end: number;
  readonly base: number;
  readonly size: number;
  readonly isSpace: boolean;
  /** Whether it follows a written space. */
  readonly isAfterSpace: boolean;
  readonly isLetter: boolean;
  /** Whether it is a letter of a script that runs from right to left. */
  readonly isRightToLeft: boolean;
  /** Whether it is a sign on or under a letter. */
  readonly isMark: boolean;
  readonly isAdded: boolean;
}

const rightToLeft = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\ufb1d-\ufdff\ufe70-\ufeff]/u;
const mark = /^\p{Mn}+$/u;
const letter = /^\p{L}/u;
/** Numbers run from left to right in every script. */
const number = /^\p{N}/u;
const space = /^\s*$/u;
/** The first code points beyond ASCII, of combining marks, and of scripts that run from right to left. */
const [firstOther, firstMark, firstRightToLeft] = [0x80, 0x3_00, 0x5_90];

export function placed(glyphs: readonly Glyph[]): readonly Placed[] {
  let before: Placed | undefined;
  return glyphs.map((glyph, index) => {
    before = place(glyph, index, before);
    return before;
  });
}

function place(glyph: Glyph, index: number, before: Placed | undefined): Placed {
  const { text, x, y, dx, dy, advance, size, isAdded = false } = glyph;
  const start = x * dx + y * dy;
  const end = start + advance;
  const angle = dy === 0 ? (dx < 0 ? 180 : 0) : Math.round((Math.atan2(dy, dx) * 180) / Math.PI);
  const base = y * dx - x * dy;
  const code = text.charCodeAt(0);
  const isAscii = code < firstOther;
  const small = code | 0x20;
  return {
    index,
    text,
    angle,
    start,
    end,
    base,
    size,
    isSpace: isAscii ? code === 0x20 || (code >= 0x09 && code <= 0x0d) : space.test(text),
    isAfterSpace:
      before?.isSpace === true &&
      isSameLine(before, { angle, base, size }) &&
      Math.min(Math.abs(start - before.end), Math.abs(before.start - end)) <= size / 2,
    isLetter: isAscii ? small >= 0x61 && small <= 0x7a : letter.test(text),
    isRightToLeft: code >= firstRightToLeft && rightToLeft.test(text) && !number.test(text),
    isMark: code >= firstMark && mark.test(text),
    isAdded,
  };
}

/** Whether both are on about the same line. */
export function isSameLine(one: Level, other: Level): boolean {
  return one.angle === other.angle && Math.abs(one.base - other.base) <= 0.5 * Math.max(one.size, other.size);
}

export type Level = Pick<Placed, "angle" | "base" | "size">;

/** Widens a letter by a mark that may stand beside it. */
export function withMark(letter: Placed, { start, end }: Placed): Placed {
  return { ...letter, start: Math.min(letter.start, start), end: Math.max(letter.end, end) };
}

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

/** Maximum gap within a run in ems; a larger one may separate words, or be next to a letter of another font. */
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
