import type { FusionSettings } from "../../server/domain/ports/pack-ranking.ts";
import type { PageHit } from "../../server/domain/ports/vectors.ts";
import { sumOfPowers } from "../../server/ranking/calibrate/odds.ts";
import { rankCandidates } from "../../server/ranking/calibrate/ranking.ts";
import type { RankingCandidates } from "../../server/ranking/rerank/reading.ts";

/** The evidence of one question's pages, best first, and whether each is an answer. */
export interface RankedEvidence {
  readonly values: readonly number[];
  readonly relevant: readonly boolean[];
}

/** Questions whose weights sum up to `weight`. */
interface RankedQuestions {
  readonly weight: number;
  readonly questions: readonly RankedEvidence[];
}

export interface FittedOdds {
  readonly odds: {
    readonly offset: number;
    readonly slope: number;
    readonly prominence: number;
    readonly rivals: { readonly weight: number; readonly sharpness: number };
  };
  readonly usual: number;
}

const depth = 20;
/** Ranks, from 0, whose mean evidence is that of irrelevant pages. */
const background = { from: 5, to: 20 };
const rounds = 50;
/** The best fit from 0.25 to 2; values from 0.4 to 0.7 fit almost equally well. */
const sharpness = 0.5;

/**
 * Logistic regression by Newton's method over the first 20 pages of each question: log-odds = offset + slope · e +
 * weight · (e − ln Σ exp(sharpness · evidence) / sharpness), the sum being over the first 20 pages.
 */
export function fitOdds(sets: readonly RankedQuestions[]): FittedOdds {
  const counted = sets.filter(({ weight, questions }) => weight > 0 && questions.length > 0);
  const total = counted.reduce((sum, { weight }) => sum + weight, 0);
  const usual = counted.reduce(
    (sum, { weight, questions }) => sum + (weight / total) * mean(questions.flatMap(backgroundOf)),
    0,
  );
  const rows = counted.flatMap(({ weight, questions }) => {
    const own = questions.flatMap((question) => rowsOf(question, usual));
    return own.map((row) => ({ ...row, weight: weight / own.length }));
  });
  let [offset, slope, rivals] = [0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    const gradient = [0, 0, 0].map((_, place) => -1e-6 * ([offset, slope, rivals][place] ?? 0));
    const curvature = [0, 1, 2].map((row) => [0, 1, 2].map((column): number => (row === column ? 1e-6 : 0)));
    for (const { value, share, isRelevant, weight } of rows) {
      const inputs = [1, value, share];
      const probability = 1 / (1 + Math.exp(-(offset + slope * value + rivals * share)));
      inputs.forEach((input, row) => {
        gradient[row] = (gradient[row] ?? 0) + weight * ((isRelevant ? 1 : 0) - probability) * input;
        const line = curvature[row] ?? [];
        inputs.forEach((other, column) => {
          line[column] = (line[column] ?? 0) + weight * probability * (1 - probability) * input * other;
        });
      });
    }
    const step = solve(curvature, gradient);
    offset += step[0] ?? 0;
    slope += step[1] ?? 0;
    rivals += step[2] ?? 0;
  }
  return { odds: { offset, slope, prominence: 0, rivals: { weight: rivals, sharpness } }, usual };
}

function rowsOf(
  { values, relevant }: RankedEvidence,
  usual: number,
): { value: number; share: number; isRelevant: boolean }[] {
  const first = values.slice(0, depth);
  const all = [...first, ...Array.from({ length: depth - first.length }, () => usual)];
  const together = sumOfPowers(all, sharpness);
  return first.map((value, rank) => ({ value, share: value - together, isRelevant: relevant[rank] === true }));
}

const backgroundOf = ({ values }: RankedEvidence): readonly number[] => values.slice(background.from, background.to);

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** Solves matrix · x = right by Gaussian elimination with pivots. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0]);
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    const pivot = rows
      .slice(column)
      .reduce((best, row) => (Math.abs(row[column] ?? 0) > Math.abs(best[column] ?? 0) ? row : best));
    rows.splice(rows.indexOf(pivot), 1);
    rows.splice(column, 0, pivot);
    for (const row of rows) {
      if (row === pivot) continue;
      const factor = (row[column] ?? 0) / (pivot[column] ?? 1);
      pivot.forEach((value, place) => (row[place] = (row[place] ?? 0) - factor * value));
    }
  }
  return rows.map((row, index) => (row[size] ?? 0) / (row[index] ?? 1));
}

export type Group = FusionSettings[number];

/** Returns the pages of a ranking, best first, with the evidence that `rankCandidates` turns into a probability. */
export function rankedEvidence(
  group: Group,
  { candidates, reading }: RankingCandidates,
): { readonly pages: readonly PageHit[]; readonly values: readonly number[] } {
  // With these odds the score is the logistic function of the scaled evidence, which the code below inverts.
  const bare: Group = { ...group, odds: { offset: 0, slope: 0.05, prominence: 0 } };
  const pages = rankCandidates([bare], candidates, reading);
  return { pages, values: pages.map(({ score }) => Math.log(score / (1 - score)) / 0.05) };
}
