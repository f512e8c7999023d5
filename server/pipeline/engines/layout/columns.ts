import type { Line, Row } from "./lines.ts";

/** Minimum rows that share a gap before it counts as a gap between columns. */
const minRows = 3;
/** Maximum rows, and gaps of a row, that are examined for columns that begin at a row, because a large table would take long. */
const maxRows = 150;
const maxGaps = 8;
/** Minimum ems of white between columns. */
const minGutter = 0.8;
/** Maximum ems from one line of a column to the next; rows of tables may be further apart. */
const maxPitch = 2;

/** Maximum columns beside each other: no page of prose has as many. */
const maxColumns = 30;

/** The extent of white between columns, along the lines. */
type Gutter = readonly [from: number, to: number];

/**
 * Puts columns of prose that were drawn row by row one after the other. Tables look similar but are read by rows: their cells
 * are short, differ in length, and begin a new text in each row.
 */
export function columnsOf(rows: readonly Row[], most = maxColumns): readonly Row[] {
  if (most === 1) return rows;
  const read: Row[] = [];
  for (let at = 0; at < rows.length;) {
    const block = blockFrom(rows, at);
    if (block === undefined) {
      read.push(...rows.slice(at, at + 1));
      at += 1;
      continue;
    }
    const middle = (block.gutter[0] + block.gutter[1]) / 2;
    const side = (isLeft: boolean): readonly Row[] =>
      rows
        .slice(at, block.end)
        .map((row) => row.filter(({ end }) => end <= middle === isLeft))
        .filter((row) => row.length > 0);
    read.push(...side(true), ...columnsOf(side(false), most - 1));
    at = block.end;
  }
  return read;
}

/**
 * Returns the longest stretch of rows from `from` on that share a gutter; undefined if there is none, or they are not columns.
 */
function blockFrom(rows: readonly Row[], from: number): { readonly gutter: Gutter; readonly end: number } | undefined {
  for (const first of gapsIn(rows[from] ?? []).slice(0, maxGaps)) {
    let gutter = first;
    let split = 0;
    let end = from;
    for (; end < Math.min(rows.length, from + maxRows); end += 1) {
      const row = rows[end];
      const before = rows[end - 1];
      if (row === undefined || (end > from && before !== undefined && !isNext(before, row))) break;
      const narrowed = narrow(gutter, row);
      if (narrowed === undefined) break;
      gutter = narrowed;
      if (sides(row, gutter).every((lines) => lines.length > 0)) split += 1;
    }
    if (split < minRows) continue;
    const [left, right] = [0, 1].map((side) =>
      rows.slice(from, end).flatMap((row) => {
        const lines = sides(row, gutter)[side] ?? [];
        return lines.length > 0 ? [lines] : [];
      }),
    );
    if (isProse(left ?? []) && isProse(right ?? [])) return { gutter, end };
  }
  return undefined;
}

const gapsIn = (row: Row): readonly Gutter[] =>
  row.slice(1).flatMap((line, index): readonly Gutter[] => {
    const end = row[index]?.end ?? Infinity;
    return line.start - end >= minGutter * line.size ? [[end, line.start]] : [];
  });

function isNext(before: Row, row: Row): boolean {
  const [one, other] = [before[0], row[0]];
  if (one === undefined || other === undefined || one.angle !== other.angle) return false;
  const pitch = one.base - other.base;
  return pitch > 0 && pitch <= maxPitch * Math.max(one.size, other.size);
}

/** Returns the part of the gutter that is white in this row as well. */
function narrow([from, to]: Gutter, row: Row): Gutter | undefined {
  let [left, right] = [from, to];
  for (const { start, end } of row) {
    // A line belongs to the side where most of it is.
    if (start + end < from + to) left = Math.max(left, end);
    else right = Math.min(right, start);
  }
  return right - left >= minGutter * (row[0]?.size ?? 0) ? [left, right] : undefined;
}

function sides(row: Row, [from, to]: Gutter): readonly [Row, Row] {
  const middle = (from + to) / 2;
  return [row.filter(({ end }) => end <= middle), row.filter(({ start }) => start >= middle)];
}

/** Minimum average of words and letters in a line. */
const minWords = 3;
const minSigns = 8;
/** Minimum share of lines that continue a sentence; for scripts with upper and lower case. */
const minGoingOn = 0.3;
/** Minimum length of the median line as a share of the longest one. */
const minFilled = 0.6;

function isProse(column: readonly Row[]): boolean {
  if (column.length < minRows) return false;
  const widths = column
    .map((row) => (row.at(-1)?.end ?? 0) - (row[0]?.start ?? 0))
    .toSorted((one, other) => one - other);
  if ((widths[widths.length >> 1] ?? 0) < minFilled * (widths.at(-1) ?? 0)) return false;
  const texts = column.map((row) => row.map(textOf).join(" "));
  const average = (count: (text: string) => number): number =>
    texts.reduce((sum, text) => sum + count(text), 0) / texts.length;
  const hasCase = texts.some((text) => /\p{Ll}/u.test(text));
  if (average((text) => text.match(/\p{L}/gu)?.length ?? 0) < minSigns) return false;
  if (!hasCase) return true;
  const goingOn = texts.slice(1).filter((text) => /^[^\p{L}\p{N}]*\p{Ll}/u.test(text)).length;
  return average((text) => text.split(" ").length) >= minWords && goingOn >= minGoingOn * (texts.length - 1);
}

/** Returns the text of a line, divided into words at its gaps, accurately enough to count them. */
function textOf({ glyphs }: Line): string {
  return glyphs
    .map((glyph, index) => {
      const before = glyphs[index - 1];
      const gap = before === undefined ? 0 : glyph.start - before.end;
      return gap > 0.1 * glyph.size ? ` ${glyph.text}` : glyph.text;
    })
    .join("");
}
