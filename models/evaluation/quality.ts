/** The quality of rankings: means over the questions, in per cent. */
export interface Quality {
  readonly "nDCG@10": number;
  readonly "recall@1": number;
  readonly "recall@5": number;
  readonly "recall@10": number;
  readonly "MRR@10": number;
}

const measures = ["nDCG@10", "recall@1", "recall@5", "recall@10", "MRR@10"] as const;

const depth = 10;
/** The gain of a relevant page at this rank, from 0 (Järvelin and Kekäläinen, 2002). */
const discount = (rank: number): number => 1 / Math.log2(rank + 2);

/** Rates rankings with binary relevance. A ranking has a relevant page at most once. */
export function qualityOf<Page>(
  rankings: readonly (readonly Page[])[],
  answers: readonly ReadonlySet<Page>[],
): Quality {
  const sums = { "nDCG@10": 0, "recall@1": 0, "recall@5": 0, "recall@10": 0, "MRR@10": 0 };
  rankings.forEach((ranking, question) => {
    const relevant = answers[question] ?? new Set();
    if (relevant.size === 0) throw new RangeError(`question ${question + 1} has no answer`);
    const ranks = ranking.slice(0, depth).flatMap((page, rank) => (relevant.has(page) ? [rank] : []));
    const ideal = Array.from({ length: Math.min(depth, relevant.size) }, (_, rank) => discount(rank));
    sums["nDCG@10"] += total(ranks.map(discount)) / total(ideal);
    sums["recall@1"] += ranks.filter((rank) => rank < 1).length / relevant.size;
    sums["recall@5"] += ranks.filter((rank) => rank < 5).length / relevant.size;
    sums["recall@10"] += ranks.length / relevant.size;
    sums["MRR@10"] += ranks[0] === undefined ? 0 : 1 / (1 + ranks[0]);
  });
  const mean = (sum: number): number => (100 * sum) / Math.max(1, rankings.length);
  return {
    "nDCG@10": mean(sums["nDCG@10"]),
    "recall@1": mean(sums["recall@1"]),
    "recall@5": mean(sums["recall@5"]),
    "recall@10": mean(sums["recall@10"]),
    "MRR@10": mean(sums["MRR@10"]),
  };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

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
