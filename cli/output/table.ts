import { type Colour, plainStyle, type Style } from "../terminal/style.ts";
import { printable, shorten, stringWidth } from "./printable.ts";

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Alignment of numbers. */
  readonly align?: "right";
  /** Longer values are shortened; default: never. */
  readonly maxColumns?: number;
  /** Values are shortened to no fewer columns if the terminal is narrow; default: never. */
  readonly minColumns?: number;
  /** Order in which columns are dropped if the terminal is too narrow, lowest first; default: never. */
  readonly rank?: number;
  readonly colour?: (row: Row) => Colour | undefined;
  /** An address that the value opens if the terminal supports links. */
  readonly link?: (row: Row) => string;
}

/** A table that is printed in batches. */
export interface Table<Row> {
  /** Returns the lines of the next rows; the first call also returns the titles. Later calls never narrow a column. */
  lines(rows: readonly Row[]): string[];
}

const gap = 2;

/** Creates a table that is no wider than the terminal if possible; in files and pipes nothing is shortened. */
export function createTable<Row>(columns: readonly Column<Row>[], style: Style = plainStyle): Table<Row> {
  let shown = columns;
  const widths = new Map(columns.map((column) => [column, stringWidth(column.title)]));
  let begun = false;
  return {
    lines(rows) {
      if (rows.length === 0) return [];
      const values = rows.map((row) => new Map(shown.map((column) => [column, valueOf(column, row)])));
      for (const column of shown) {
        const widest = Math.max(...values.map((cells) => stringWidth(cells.get(column) ?? "")));
        widths.set(column, Math.max(widths.get(column) ?? 0, widest));
      }
      if (style.columns !== undefined) shown = fit(shown, widths, style.columns, begun);
      const titles = begun ? [] : [lineOf(shown, widths, ({ title }) => [title, title])];
      begun = true;
      return [
        ...titles,
        ...rows.map((row, index) =>
          lineOf(shown, widths, (column) => {
            const text = shorten(values[index]?.get(column) ?? "", widths.get(column) ?? 0);
            const colour = column.colour?.(row);
            const painted = colour === undefined ? text : style.colour(colour, text);
            return [text, column.link === undefined ? painted : style.link(painted, column.link(row))];
          }),
        ),
      ];
    },
  };
}

/** Returns the lines of a table with its titles; none for an empty table. */
export function tableLines<Row>(rows: readonly Row[], columns: readonly Column<Row>[], style?: Style): string[] {
  return createTable(columns, style).lines(rows);
}

function valueOf<Row>({ value, maxColumns = Number.POSITIVE_INFINITY }: Column<Row>, row: Row): string {
  return shorten(printable(value(row)), maxColumns);
}

/** Chooses the columns to show and sets their widths in `widths`. A table that has been begun keeps its columns. */
function fit<Row>(
  columns: readonly Column<Row>[],
  widths: Map<Column<Row>, number>,
  room: number,
  begun: boolean,
): readonly Column<Row>[] {
  const excess = (shown: readonly Column<Row>[], width: (column: Column<Row>) => number): number =>
    shown.reduce((sum, column) => sum + width(column), (shown.length - 1) * gap) - room;
  const wide = (column: Column<Row>): number => widths.get(column) ?? 0;
  const minWidth = (column: Column<Row>): number =>
    Math.min(wide(column), column.minColumns ?? Number.POSITIVE_INFINITY);
  const spare = begun ? [] : columns.filter(({ rank }) => rank !== undefined);
  let shown = columns;
  for (const column of spare.toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))) {
    if (excess(shown, minWidth) <= 0) break;
    shown = shown.filter((other) => other !== column);
  }
  let over = excess(shown, wide);
  // The widest column shrinks first, so that short values stay whole.
  for (const column of shown.toSorted((a, b) => wide(b) - wide(a))) {
    const given = Math.max(0, Math.min(over, wide(column) - minWidth(column)));
    widths.set(column, wide(column) - given);
    over -= given;
  }
  return shown;
}

/** Joins the cells of a line. Each cell is the text to measure and the text to write. */
function lineOf<Row>(
  columns: readonly Column<Row>[],
  widths: ReadonlyMap<Column<Row>, number>,
  cellOf: (column: Column<Row>) => readonly [measured: string, written: string],
): string {
  const cells = columns.map((column) => {
    const [measured, written] = cellOf(column);
    const padding = " ".repeat(Math.max(0, (widths.get(column) ?? 0) - stringWidth(measured)));
    return column.align === "right" ? padding + written : written + padding;
  });
  return cells.join(" ".repeat(gap)).trimEnd();
}
