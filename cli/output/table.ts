import { padEnd, padStart, printable, shorten, stringWidth } from "./printable.ts";

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Numbers stand at the right. */
  readonly align?: "right";
  /** Longer values are cut; default: never. */
  readonly maxColumns?: number;
}

/** Lines of a table with a line of titles; nothing for an empty one. */
export function tableLines<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) =>
    columns.map(({ value, maxColumns }) => shorten(printable(value(row)), maxColumns ?? Number.POSITIVE_INFINITY)),
  );
  const lines = [columns.map(({ title }) => title), ...cells];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => stringWidth(line[index] ?? ""))));
  return lines.map((line) =>
    line
      .map((cell, index) => (columns[index]?.align === "right" ? padStart : padEnd)(cell, widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
