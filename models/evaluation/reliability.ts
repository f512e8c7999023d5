import { markdown } from "./quality.ts";

/** A score, and whether the page is an answer, with its weight. */
export interface Scored {
  readonly score: number;
  readonly isRelevant: boolean;
  readonly weight?: number;
}

/** Scores in a tenth that starts at `from`: their mean, and the share of answers. */
interface Decile {
  readonly from: number;
  readonly pages: number;
  readonly meanScore: number;
  /** The share of pages that are answers. */
  readonly share: number;
}

/** Returns the deciles that have pages. Reliable scores have a `share` close to their `meanScore`. */
export function reliabilityOf(scored: readonly Scored[]): readonly Decile[] {
  return Array.from({ length: 10 }, (_, tenth) => {
    const own = scored.filter(({ score }) => Math.min(9, Math.floor(10 * score)) === tenth);
    const total = sum(own.map(({ weight = 1 }) => weight));
    const mean = (value: (one: Scored) => number): number =>
      sum(own.map((one) => (one.weight ?? 1) * value(one))) / Math.max(total, Number.MIN_VALUE);
    return {
      from: tenth / 10,
      pages: own.length,
      meanScore: mean(({ score }) => score),
      share: mean(({ isRelevant }) => (isRelevant ? 1 : 0)),
    };
  }).filter(({ pages }) => pages > 0);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Returns a table by group of questions: the mean score, the share of answers and the number of pages of each decile. */
export function reliabilityTable(groups: Readonly<Record<string, readonly Scored[]>>): string {
  const deciles = Array.from({ length: 10 }, (_, tenth) => tenth / 10);
  return markdown(
    ["score → share right (pages)", ...deciles.map((from) => from.toFixed(1))],
    Object.entries(groups).map(([name, scored]) => {
      const found = new Map(reliabilityOf(scored).map((one) => [one.from, one]));
      return [name, ...deciles.map((from) => shown(found.get(from)))];
    }),
  );
}

const shown = (decile: Decile | undefined): string =>
  decile === undefined ? "–" : `${decile.meanScore.toFixed(2)} → ${decile.share.toFixed(2)} (${decile.pages})`;
