/** a, b, c, d, e, f of ISO 32000-1, 8.3.3. */
export type Matrix = readonly [number, number, number, number, number, number];

export const identity: Matrix = [1, 0, 0, 1, 0, 0];

/** Where a point is that is given in the coordinates of the matrix. */
export const at = ([a, b, c, d, e, f]: Matrix, x: number, y: number): readonly [number, number] => [
  a * x + c * y + e,
  b * x + d * y + f,
];

/** The inner coordinates within the outer ones. */
export function times(outer: Matrix, [a, b, c, d, e, f]: Matrix): Matrix {
  const [x1, y1] = at(outer, e, f);
  return [
    outer[0] * a + outer[2] * b,
    outer[1] * a + outer[3] * b,
    outer[0] * c + outer[2] * d,
    outer[1] * c + outer[3] * d,
    x1,
    y1,
  ];
}

/** An array, typed or not; anything else is no change. */
export function matrixOf(value: unknown): Matrix {
  const numbers = Array.isArray(value) || value instanceof Float32Array ? Array.from(value, Number) : [];
  const [a, b, c, d, e, f] = numbers;
  return f === undefined ? identity : [a ?? 1, b ?? 0, c ?? 0, d ?? 1, e ?? 0, f];
}
