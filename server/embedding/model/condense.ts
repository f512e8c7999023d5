import { disjointSets, join, rootOf } from "../mask/disjoint-sets.ts";

/** Maximum vectors stored for a page. This number keeps most of the quality of its hundreds of vectors (models/README.md). */
export const maxVectors = 38;

/**
 * Condenses many vectors to at most `max`: Ward's clustering, merged until `max` clusters are left, then the normalised mean
 * of each ("Reducing the footprint of multi-vector retrieval with minimal performance impact via token pooling", Clavié et
 * al., 2024). The merges are found along chains of nearest neighbours (Murtagh, 1983), in time and memory that grow with
 * the square of the number of vectors. The result is in the order of each cluster's first vector.
 */
export function condense(vectors: readonly Float32Array[], max = maxVectors): Float32Array[] {
  if (vectors.length <= max) return [...vectors];
  const labels = labelsAfter(mergesOf(vectors), vectors.length, max);
  const groups = new Map<number, Float32Array[]>();
  vectors.forEach((vector, index) => {
    const label = labels[index] ?? 0;
    groups.set(label, [...(groups.get(label) ?? []), vector]);
  });
  return [...groups.values()].map(unitMean);
}

interface Merge {
  readonly first: number;
  readonly second: number;
  /** Twice the amount that the merge adds to the sum of squares within clusters. */
  readonly cost: number;
}

/** Returns all merges down to one cluster. Each merge identifies its two clusters by one vector of each. */
function mergesOf(vectors: readonly Float32Array[]): Merge[] {
  const count = vectors.length;
  const distances = squaredDistances(vectors);
  const sizes = new Float64Array(count).fill(1);
  const alive = new Uint8Array(count).fill(1);
  const merges: Merge[] = [];
  let chain: number[] = [];
  while (merges.length < count - 1) {
    const top = chain.at(-1) ?? alive.indexOf(1);
    const before = chain.at(-2);
    const { nearest, cost } = nearestTo(top, before, distances, alive);
    if (nearest !== before) {
      chain = chain.length === 0 ? [top, nearest] : [...chain, nearest];
      continue;
    }
    chain = chain.slice(0, -2);
    merges.push({ first: top, second: nearest, cost });
    merge(top, nearest, distances, sizes, alive);
  }
  return merges;
}

function squaredDistances(vectors: readonly Float32Array[]): Float64Array {
  const count = vectors.length;
  const distances = new Float64Array(count * count);
  vectors.forEach((a, row) => {
    for (let column = row + 1; column < count; column += 1) {
      const b = vectors[column] ?? a;
      let sum = 0;
      for (let at = 0; at < a.length; at += 1) sum += ((a[at] ?? 0) - (b[at] ?? 0)) ** 2;
      distances[row * count + column] = sum;
      distances[column * count + row] = sum;
    }
  });
  return distances;
}

/** Returns the nearest cluster. If several are equally near, it prefers the previous one of the chain, so that the chain ends. */
function nearestTo(
  cluster: number,
  before: number | undefined,
  distances: Float64Array,
  alive: Uint8Array,
): { nearest: number; cost: number } {
  const row = cluster * alive.length;
  let nearest = before ?? -1;
  let cost = before === undefined ? Infinity : (distances[row + before] ?? Infinity);
  for (let other = 0; other < alive.length; other += 1) {
    const distance = distances[row + other] ?? Infinity;
    if (other === cluster || alive[other] === 0 || distance >= cost) continue;
    nearest = other;
    cost = distance;
  }
  return { nearest, cost };
}

/** Merges the second into the first, and updates distances by the formula of Lance and Williams for Ward's method. */
function merge(first: number, second: number, distances: Float64Array, sizes: Float64Array, alive: Uint8Array): void {
  const count = alive.length;
  const [a, b] = [sizes[first] ?? 1, sizes[second] ?? 1];
  const between = distances[first * count + second] ?? 0;
  alive[second] = 0;
  sizes[first] = a + b;
  for (let other = 0; other < count; other += 1) {
    if (alive[other] === 0 || other === first) continue;
    const c = sizes[other] ?? 1;
    const toFirst = distances[first * count + other] ?? 0;
    const toSecond = distances[second * count + other] ?? 0;
    const joined = ((a + c) * toFirst + (b + c) * toSecond - c * between) / (a + b + c);
    distances[first * count + other] = joined;
    distances[other * count + first] = joined;
  }
}

/** Returns the cluster of each vector after the cheapest merges. */
function labelsAfter(merges: readonly Merge[], count: number, max: number): number[] {
  const clusters = disjointSets(count);
  const cheapest = merges.toSorted((a, b) => a.cost - b.cost).slice(0, count - max);
  for (const { first, second } of cheapest) join(clusters, first, second);
  return Array.from(clusters, (_, index) => rootOf(clusters, index));
}

function unitMean(vectors: readonly Float32Array[]): Float32Array {
  const sum = Float32Array.from(vectors[0] ?? [], (_, at) =>
    vectors.reduce((all, vector) => all + (vector[at] ?? 0), 0),
  );
  const norm = Math.hypot(...sum);
  // Vectors that cancel out have no mean direction; any of them can stand for the rest.
  return norm > 0 ? sum.map((value) => value / norm) : (vectors[0] ?? sum);
}
