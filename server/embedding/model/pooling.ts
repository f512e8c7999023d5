import { unprocessable } from "../../domain/errors.ts";
import type { Batch } from "./batch.ts";
import type { Floats } from "./graph.ts";
import type { TowerOutput } from "./settings.ts";
import type { Token } from "./tokens.ts";

/** The default of torch.nn.LayerNorm. */
const layerNormEpsilon = 1e-5;

/**
 * Returns the vectors of each row of a graph's output, each of `dimensions`: one by pooling, or one for each token that is
 * not dropped. Zero vectors are left out. Without a batch (pictures) every token of the output counts.
 * Throws `unprocessable` if the output differs from the manifest.
 */
export function vectorsOf(
  result: Floats,
  batch: Batch | undefined,
  settings: TowerOutput,
  dimensions: number,
): (readonly Float32Array[])[] {
  const [rows = 0, ...rest] = result.shape;
  const tokens = settings.pooling === "none" ? 1 : (rest[0] ?? 0);
  const expected = settings.pooling === "none" ? [settings.dimensions] : [batch?.length ?? tokens, settings.dimensions];
  const fits = rest.length === expected.length && rest.every((side, index) => side === expected[index]);
  if (!fits || rows !== (batch?.rows.length ?? 1)) {
    throw unprocessable(`the model gives its output in the shape [${result.shape.join(", ")}] for it`);
  }
  return Array.from({ length: rows }, (_, row) => {
    const at = (token: number): Float32Array => {
      const from = (row * tokens + token) * settings.dimensions;
      return result.values.subarray(from, from + settings.dimensions);
    };
    return pool(at, columnsOf(batch, row, tokens), settings).flatMap((vector) => finish(vector, settings, dimensions));
  });
}

interface Column {
  readonly at: number;
  readonly token: Token | undefined;
}

/** The columns of a row that are not padding. */
function columnsOf(batch: Batch | undefined, row: number, tokens: number): Column[] {
  const words = batch?.rows[row];
  if (words === undefined) return Array.from({ length: tokens }, (_, at) => ({ at, token: undefined }));
  const start = batch?.starts[row] ?? 0;
  return words.map((token, index) => ({ at: start + index, token }));
}

function pool(
  vectorAt: (column: number) => Float32Array,
  columns: readonly Column[],
  { pooling, drop }: TowerOutput,
): Float32Array[] {
  const isKept = ({ token }: Column): boolean =>
    token === undefined || !(drop.ids.includes(token.id) || drop.roles.some((role) => role === token.role));
  switch (pooling) {
    case "none":
      return [vectorAt(0)];
    case "cls":
      return columns.slice(0, 1).map(({ at }) => vectorAt(at));
    case "last":
      return columns.slice(-1).map(({ at }) => vectorAt(at));
    case "mean":
      return meanOf(columns.filter(isKept).map(({ at }) => vectorAt(at)));
    case "multi":
      return columns.filter(isKept).map(({ at }) => vectorAt(at));
  }
}

function meanOf(vectors: readonly Float32Array[]): Float32Array[] {
  const [first] = vectors;
  if (first === undefined) return [];
  const sum = new Float64Array(first.length);
  for (const vector of vectors) for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0);
  return [Float32Array.from(sum, (value) => value / vectors.length)];
}

/** Returns a copy, truncated and normalised: the graph's vectors share memory with its whole output. */
function finish(vector: Float32Array, { layerNorm, normalisation }: TowerOutput, dimensions: number): Float32Array[] {
  const short = (layerNorm ? standardised(vector) : vector).slice(0, dimensions);
  const norm = Math.hypot(...short);
  if (norm === 0) return [];
  return [normalisation === "l2" ? short.map((value) => value / norm) : short];
}

function standardised(vector: Float32Array): Float32Array {
  const mean = vector.reduce((sum, value) => sum + value, 0) / vector.length;
  const variance = vector.reduce((sum, value) => sum + (value - mean) ** 2, 0) / vector.length;
  const spread = Math.sqrt(variance + layerNormEpsilon);
  return vector.map((value) => (value - mean) / spread);
}
