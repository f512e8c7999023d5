import { createRandom } from "../../../bench/measuring/random.ts";

/** Pages with vectors that cluster by topic, as those of real pages do, and the nearest ones by comparing all of them. */
export interface Library {
  readonly pages: readonly { readonly vectors: readonly Float32Array[]; readonly pooled: readonly Float32Array[] }[];
  /** Vectors near those of some page. */
  query(count: number): readonly Float32Array[];
  /** The mean, over the query's vectors, of the cosine with the nearest of the page's. Pages count from 1. */
  score(query: readonly Float32Array[], page: number): number;
  /** Numbers of the best pages, best first. */
  nearest(query: readonly Float32Array[], limit: number): readonly number[];
}

interface Size {
  readonly dimensions: number;
  readonly pages: number;
  readonly vectorsPerPage: number;
}

const topicCount = 40;
/** Distance of vectors from their page, and of pages from their topic, in lengths of the topic's vector. */
const spread = { vector: 0.5, page: 0.8 };

/** The same library in every run. */
export function createLibrary({ dimensions, pages: pageCount, vectorsPerPage }: Size): Library {
  const random = createRandom(11);
  const gaussian = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const noise = (): Float32Array => unit(Float32Array.from({ length: dimensions }, gaussian));
  const near = (vector: Float32Array, far: number): Float32Array => {
    const other = noise();
    return unit(vector.map((value, at) => value + far * (other[at] ?? 0)));
  };
  const topics = Array.from({ length: topicCount }, noise);
  const pages = Array.from({ length: pageCount }, (_, at) => {
    const page = near(topics[at % topicCount] ?? noise(), spread.page);
    const vectors = Array.from({ length: vectorsPerPage }, () => near(page, spread.vector));
    return { vectors, pooled: [mean(vectors.slice(0, vectorsPerPage / 2)), mean(vectors.slice(vectorsPerPage / 2))] };
  });

  function score(query: readonly Float32Array[], page: number): number {
    const vectors = pages[page - 1]?.vectors ?? [];
    const best = query.map((one) => Math.max(...vectors.map((other) => dot(one, other))));
    return best.reduce((sum, value) => sum + value, 0) / query.length;
  }

  return {
    pages,
    query(count) {
      const about = pages[Math.floor(random() * pageCount)]?.vectors[0] ?? noise();
      return Array.from({ length: count }, () => near(about, spread.page));
    },
    score,
    nearest: (query, limit) =>
      pages
        .map((_, at) => ({ page: at + 1, score: score(query, at + 1) }))
        .sort((one, other) => other.score - one.score)
        .slice(0, limit)
        .map(({ page }) => page),
  };
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const mean = (vectors: readonly Float32Array[]): Float32Array =>
  unit(Float32Array.from(vectors[0] ?? [], (_, at) => vectors.reduce((sum, vector) => sum + (vector[at] ?? 0), 0)));

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
