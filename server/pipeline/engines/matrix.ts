/** The numbers a, b, c, d, e, f of ISO 32000-1, 8.3.3. */
export type Matrix = readonly [number, number, number, number, number, number];

export const identity: Matrix = [1, 0, 0, 1, 0, 0];

/** Transforms a point from the coordinates of the matrix. */
export const at = ([a, b, c, d, e, f]: Matrix, x: number, y: number): readonly [number, number] => [
  a * x + c * y + e,
  b * x + d * y + f,
];

/** Returns the product of two matrices, which transforms by the inner one first and then by the outer one. */
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

/** Makes a matrix of six numbers; anything else gives the identity. */
export function toMatrix(numbers: readonly number[]): Matrix {
  const [a, b, c, d, e, f] = numbers;
  return f === undefined ? identity : [a ?? 1, b ?? 0, c ?? 0, d ?? 1, e ?? 0, f];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle of a page, whose y grows upwards. */
export interface Box {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

/** Returns the bounding box of a transformed box. */
export function boxThrough(matrix: Matrix, { left, bottom, right, top }: Box): Box {
  const corners = [at(matrix, left, bottom), at(matrix, right, bottom), at(matrix, left, top), at(matrix, right, top)];
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return { left: Math.min(...xs), bottom: Math.min(...ys), right: Math.max(...xs), top: Math.max(...ys) };
}

/** Returns the intersection of two boxes. If it is empty, right ≤ left or top ≤ bottom. */
export const common = (one: Box, other: Box): Box => ({
  left: Math.max(one.left, other.left),
  bottom: Math.max(one.bottom, other.bottom),
  right: Math.min(one.right, other.right),
  top: Math.min(one.top, other.top),
});

export const areaOf = ({ left, bottom, right, top }: Box): number =>
  right > left && top > bottom ? (right - left) * (top - bottom) : 0;
