/** The positive levels in units of 1/46.5 of a standard deviation, so that the largest fits in a signed byte. */
const positive = [6, 18, 31, 44, 58, 75, 96, 127];
const perDeviation = 46.5;

/** The values of four-bit codes: the levels with the least error for a normal distribution. */
export const levels = Int8Array.from([...positive.toReversed().map((level) => -level), ...positive]);

export interface NearestLevels {
  readonly codes: Uint8Array;
  /** The values of the codes. */
  readonly values: Int8Array;
}

/**
 * Finds levels with a direction near that of a vector; any levels for a vector of zeros. No vector is exactly normal,
 * and some have a few large values. The width of the levels is therefore changed step by step, starting a little above
 * the vector's deviation, for as long as the levels get nearer.
 */
export function nearestLevels(vector: Float32Array): NearestLevels {
  let squares = 0;
  for (let at = 0; at < vector.length; at++) squares += (vector[at] ?? 0) ** 2;
  let scale = (perLevel * perDeviation) / (stretch * Math.sqrt(squares / vector.length) || 1);
  let nearest = cosineWithLevels(vector, scale);
  const search = (ratio: number): void => {
    for (;;) {
      const cosine = cosineWithLevels(vector, scale * ratio);
      if (!(cosine > nearest)) return;
      [scale, nearest] = [scale * ratio, cosine];
    }
  };
  search(1 / stretch);
  search(stretch);
  return levelsAt(vector, scale);
}

const stretch = 1.05;

/**
 * Number of half units per unit. `codeOfHalf` has the code of each half unit, because a level ends halfway to the next
 * one, at a whole number of half units.
 */
const perLevel = 2;
const zero = perLevel * Math.max(...positive);
const codeOfHalf = Uint8Array.from({ length: 2 * zero }, (_, half) => {
  const value = (half + 0.5 - zero) / perLevel;
  return levels.findLastIndex((level, code) => code === 0 || value > (level + (levels[code - 1] ?? 0)) / 2);
});
const levelOfHalf = Int8Array.from(codeOfHalf, (code) => levels[code] ?? 0);

/** Returns the half unit of a value: rounded towards zero, and limited to the range of the levels. */
const halfOf = (halves: number): number => Math.min(Math.max((halves + zero) | 0, 0), 2 * zero - 1);

/** Returns the cosine between the vector and its levels, times the vector's length. */
function cosineWithLevels(vector: Float32Array, scale: number): number {
  let [product, squares] = [0, 0];
  for (let at = 0; at < vector.length; at++) {
    const value = vector[at] ?? 0;
    const level = levelOfHalf[halfOf(value * scale)] ?? 0;
    product += value * level;
    squares += level * level;
  }
  return product / Math.sqrt(squares);
}

function levelsAt(vector: Float32Array, scale: number): NearestLevels {
  const [codes, values] = [new Uint8Array(vector.length), new Int8Array(vector.length)];
  for (let at = 0; at < vector.length; at++) {
    const half = halfOf((vector[at] ?? 0) * scale);
    codes[at] = codeOfHalf[half] ?? 0;
    values[at] = levelOfHalf[half] ?? 0;
  }
  return { codes, values };
}
