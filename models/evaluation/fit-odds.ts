/** The evidence of one question's pages, best first, and whether each is an answer. */
export interface RankedEvidence {
  readonly values: readonly number[];
  readonly relevant: readonly boolean[];
}

export interface FittedOdds {
  readonly odds: { readonly offset: number; readonly slope: number; readonly prominence: number };
  readonly usual: number;
}

const depth = 20;
/** Ranks, from 0, whose mean evidence is that of irrelevant pages. */
const background = { from: 5, to: 20 };
const rounds = 50;

/**
 * Logistic regression by Newton's method over the first 20 pages of each question; every set weighs the same.
 * log-odds = offset + slope · e + prominence · (e − mean evidence at ranks 6 to 20).
 */
export function fitOdds(sets: readonly (readonly RankedEvidence[])[]): FittedOdds {
  const rows = sets.flatMap((questions) => {
    const own = questions.flatMap(rowsOf);
    return own.map((row) => ({ ...row, weight: 1 / own.length }));
  });
  let [offset, slope, prominence] = [0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    const gradient = [0, 0, 0].map((_, place) => -1e-6 * ([offset, slope, prominence][place] ?? 0));
    const curvature = [0, 1, 2].map((row) => [0, 1, 2].map((column): number => (row === column ? 1e-6 : 0)));
    for (const { value, lead, isRelevant, weight } of rows) {
      const inputs = [1, value, lead];
      const probability = 1 / (1 + Math.exp(-(offset + slope * value + prominence * lead)));
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
    prominence += step[2] ?? 0;
  }
  const usual = sets.map((questions) => mean(questions.map(({ values }) => backgroundOf(values))));
  return { odds: { offset, slope, prominence }, usual: mean(usual) };
}

function rowsOf({ values, relevant }: RankedEvidence): { value: number; lead: number; isRelevant: boolean }[] {
  const usual = backgroundOf(values);
  return values
    .slice(0, depth)
    .map((value, rank) => ({ value, lead: value - usual, isRelevant: relevant[rank] === true }));
}

const backgroundOf = (values: readonly number[]): number => mean(values.slice(background.from, background.to));

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** x of matrix · x = right, by Gaussian elimination with pivots. */
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
