import { dividedWord } from "../words.ts";
import { type Glyph, isSameLine, placed, type Placed, runsOf } from "./glyph.ts";
import { type Line, linesOf, type Row } from "./lines.ts";
import { withColumns } from "./vertical.ts";
import { wordsOf } from "./words.ts";
import { columnsOf } from "./columns.ts";

interface PageText {
  readonly text: string;
  /** The glyph of each UTF-16 unit; -1 for a space or line break without a glyph. */
  readonly glyphs: readonly number[];
}

/** Maximum glyphs that are ordered together: fifty times those of a full page. */
const maxGlyphs = 50_000;

/**
 * Returns the text of a page in reading order; `glyphs` are in drawing order. A page with more glyphs than any real one is read
 * in parts, in drawing order.
 */
export function readLayout(glyphs: readonly Glyph[]): PageText {
  if (glyphs.length <= maxGlyphs) return readPart(glyphs);
  const texts: string[] = [];
  const sources: number[] = [];
  for (let from = 0; from < glyphs.length; from += maxGlyphs) {
    const part = readPart(glyphs.slice(from, from + maxGlyphs));
    if (from > 0) sources.push(-1);
    texts.push(part.text);
    for (const glyph of part.glyphs) sources.push(glyph < 0 ? glyph : from + glyph);
  }
  return { text: texts.join("\n"), glyphs: sources };
}

function readPart(glyphs: readonly Glyph[]): PageText {
  const rows = inReadingOrder(linesOf(runsOf(withColumns(placed(glyphs)))));
  let text = "";
  const sources: number[] = [];
  const add = (part: string, glyph: number): void => {
    text += part;
    for (let unit = 0; unit < part.length; unit++) sources.push(glyph);
  };
  let last: Placed | undefined;
  for (const row of rows) {
    let isRowStart = true;
    for (const { glyph, isFirst } of wordsOf(row)) {
      // A divided word continues without a line break.
      const continues = last?.text === dividedWord && last.index + 1 === glyph.index;
      if (isRowStart && last !== undefined && !continues) add("\n", -1);
      else if (isFirst) add(" ", -1);
      add(glyph.text, glyph.index);
      isRowStart = false;
      last = glyph;
    }
  }
  return { text, glyphs: sources };
}

/**
 * Returns lines in reading order: in the drawing order, which is nearly always right, unless their positions show otherwise. A
 * line that was drawn after lines below it is moved before them, and columns that were drawn row by row are read one after the
 * other.
 */
function inReadingOrder(lines: readonly Line[]): readonly Row[] {
  const drawn = lines.toSorted((one, other) => one.drawn - other.drawn);
  const content = movedUp(drawn.filter(({ isAdded }) => !isAdded));
  return columnsOf(
    rowsOf(
      withAdded(
        content,
        drawn.filter(({ isAdded }) => isAdded),
      ),
    ),
  );
}

/** Maximum lines to compare with each added line; only an absurdly long form has more. */
const maxLines = 2_000;

/**
 * Inserts added lines, such as values of fields, after the text that precedes them on the same line, or else before the line
 * below.
 */
function withAdded(content: readonly Line[], added: readonly Line[]): readonly Line[] {
  const placed = [...content];
  for (const line of added) {
    const near = placed.slice(0, maxLines);
    const left = near.findLastIndex((other) => isSameLine(other, line) && other.start < line.start);
    const under = near.findIndex((other) => isBelow(other, line));
    placed.splice(left >= 0 ? left + 1 : under >= 0 ? under : placed.length, 0, line);
  }
  return placed;
}

/**
 * Minimum glyphs of a line to be moved up: a shorter one may be a mark above another line, such as the limit of a sum. It is
 * lower for rotated and vertical text, which engines return in any order.
 */
const minGlyphs = (angle: number): number => (angle === 0 ? 8 : 2);
/** Maximum lines that a line is moved over, more than a page has. */
const maxClimb = 200;

/** Moves lines up over lines below them that were drawn before them. */
function movedUp(lines: readonly Line[]): readonly Line[] {
  const placed: Line[] = [];
  for (const line of lines) {
    let at = placed.length;
    const first = Math.max(0, at - maxClimb);
    for (let before = at - 1; before >= first; before -= 1) {
      const other = placed[before];
      if (other === undefined || !isUnder(other, line)) break;
      at = before;
    }
    placed.splice(at, 0, line);
  }
  return placed;
}

function isUnder(lower: Line, upper: Line): boolean {
  return Math.min(lower.glyphs.length, upper.glyphs.length) >= minGlyphs(lower.angle) && isBelow(lower, upper);
}

function isBelow(lower: Line, upper: Line): boolean {
  if (lower.angle !== upper.angle) return false;
  const overlap = Math.min(lower.end, upper.end) - Math.max(lower.start, upper.start);
  const shorter = Math.min(lower.end - lower.start, upper.end - upper.start);
  return overlap > shorter / 2 && upper.base - lower.base > Math.max(lower.size, upper.size) / 2;
}

/** Groups consecutive lines that are beside each other. */
function rowsOf(lines: readonly Line[]): readonly Row[] {
  const rows: Line[][] = [];
  for (const line of lines) {
    const row = rows.at(-1);
    const last = row?.at(-1);
    if (row !== undefined && last !== undefined && isSameLine(last, line) && isBeside(last, line)) row.push(line);
    else rows.push([line]);
  }
  return rows;
}

/** Whether one line is beside the other and not over it: text that is drawn twice does not become one line. */
function isBeside(one: Line, other: Line): boolean {
  return other.start >= one.end - one.size / 2 || other.end <= one.start + one.size / 2;
}
