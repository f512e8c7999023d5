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
