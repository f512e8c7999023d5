/** Of a standard deviation, in 46.5ths, which makes the largest a signed byte. */
const positive = [6, 18, 31, 44, 58, 75, 96, 127];
const perDeviation = 46.5;

/** What codes of four bits stand for: the levels that lose least of a normal distribution. */
export const levels = Int8Array.from([...positive.toReversed().map((level) => -level), ...positive]);

export interface NearestLevels {
  readonly codes: Uint8Array;
  /** What the codes stand for. */
  readonly values: Int8Array;
}

/**
 * Levels whose direction is near to that of a vector; of zeros, any. No vector is quite normal, and some have a few large
 * values: how wide levels lie is searched from a little more than the vector's deviation on, as long as they come nearer.
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

/** Levels end half-way to the next one, which is a whole number of halves: the level of a value is that of its half. */
const perLevel = 2;
const zero = perLevel * Math.max(...positive);
const codeOfHalf = Uint8Array.from({ length: 2 * zero }, (_, half) => {
  const value = (half + 0.5 - zero) / perLevel;
  return levels.findLastIndex((level, code) => code === 0 || value > (level + (levels[code - 1] ?? 0)) / 2);
});
const levelOfHalf = Int8Array.from(codeOfHalf, (code) => levels[code] ?? 0);

/** Rounded towards zero, which is beyond the lowest level. */
const halfOf = (halves: number): number => Math.min(Math.max((halves + zero) | 0, 0), 2 * zero - 1);

/** With the levels of the vector's values, times its length. */
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
