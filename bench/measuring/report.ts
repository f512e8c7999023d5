/** A line of a table by column. Numbers keep their precision here; the table rounds them. */
export type Row = Readonly<Record<string, string | number>>;

export interface Table {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** A figure that the project wants to stay below a limit. */
export interface Bar {
  readonly what: string;
  readonly value: number;
  readonly limit: number;
  readonly unit: string;
  readonly met: boolean;
}

export interface Skipped {
  readonly what: string;
  readonly reason: string;
}

/** Collects the results of a benchmark. */
export interface Report {
  readonly tables: readonly Table[];
  readonly bars: readonly Bar[];
  readonly skipped: readonly Skipped[];
  table(title: string, rows: readonly Row[]): void;
  bar(what: string, value: number, limit: number, unit: string): void;
  skip(what: string, reason: string): void;
  /** Prints what is being measured, while the benchmark runs. */
  progress(text: string): void;
}

export function createReport(progress: (text: string) => void): Report {
  const tables: Table[] = [];
  const bars: Bar[] = [];
  const skipped: Skipped[] = [];
  return {
    tables,
    bars,
    skipped,
    table: (title, rows) => void tables.push({ title, rows }),
    bar: (what, value, limit, unit) => void bars.push({ what, value, limit, unit, met: value <= limit }),
    skip: (what, reason) => void skipped.push({ what, reason }),
    progress,
  };
}

/** Formats the results of a benchmark as plain text. */
export function reportText({ tables, bars, skipped }: Pick<Report, "tables" | "bars" | "skipped">): string {
  const parts = tables.map(({ title, rows }) => `${title}\n${tableText(rows)}`);
  if (bars.length > 0) {
    const rows = bars.map(({ what, value, limit, unit, met }) => ({
      bar: what,
      seen: `${figure(value)} ${unit}`.trim(),
      wanted: `≤ ${limit} ${unit}`.trim(),
      met: met ? "yes" : "NO",
    }));
    parts.push(tableText(rows));
  }
  for (const { what, reason } of skipped) parts.push(`SKIPPED ${what}: ${reason}\n`);
  return parts.join("\n");
}

/** Formats a table, with numbers aligned to the right. Every row has the columns of the first. */
export function tableText(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [columns, ...rows.map((row) => columns.map((column) => figure(row[column] ?? "")))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  const isNumber = columns.map((column) => rows.every((row) => typeof row[column] === "number"));
  return lines
    .map((line) =>
      line
        .map((cell, index) => (isNumber[index] ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `  ${line}\n`)
    .join("");
}

/** Rounds to three digits, which is the precision of repeated measurements. */
function figure(value: string | number): string {
  if (typeof value === "string" || Number.isInteger(value)) return String(value);
  const magnitude = Math.abs(value);
  return value.toFixed(magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : 2);
}
