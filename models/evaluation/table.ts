import { measures, type Quality } from "./quality.ts";

/** Figures by ranking (a space's name, or "fused") and set. */
export type Figures = Readonly<Record<string, Readonly<Record<string, Quality>>>>;

/** Returns a Markdown table of one measure, rankings by sets, with the mean over the sets, then all measures of each. */
export function tablesOf(figures: Figures): string {
  const sets = [...new Set(Object.values(figures).flatMap((bySet) => Object.keys(bySet)))];
  const short = Object.entries(figures).map(([ranking, bySet]) => {
    const values = sets.map((set) => bySet[set]?.["nDCG@10"]);
    const mean = values.reduce<number>((sum, value) => sum + (value ?? 0), 0) / sets.length;
    return [ranking, ...values.map(shown), shown(values.includes(undefined) ? undefined : mean)];
  });
  const long = Object.entries(figures).flatMap(([ranking, bySet]) =>
    Object.entries(bySet).map(([set, quality]) => [
      ranking,
      set,
      ...measures.map((measure) => shown(quality[measure])),
    ]),
  );
  return `${markdown(["nDCG@10", ...sets, "mean"], short)}\n${markdown(["ranking", "set", ...measures], long)}`;
}

const shown = (value: number | undefined): string => (value === undefined ? "–" : value.toFixed(2));

export function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line), ""].join("\n");
}
