import { type Features, featuresOf } from "../../../server/domain/ports/features.ts";
import type { StoredRow } from "../../../server/domain/ports/vectors.ts";

/** The pages with other numbers, in their order. */
export function renumbered({ pages, rows }: Features, numbers: readonly number[]): Features {
  const numberOf = (page: number): number => numbers[pages.indexOf(page)] ?? page;
  return {
    pages: pages.map(numberOf),
    rows: new Map(
      Array.from(rows, ([space, some]) => [space, some.map((row) => ({ ...row, page: numberOf(row.page) }))]),
    ),
  };
}

export const only = (features: Features, page: number): Features => featuresOf(features, new Set([page]));

const mark = 0.1234;

/** With a vector that can be found in the bytes. */
export function marked(features: Features): Features {
  const [row] = [...features.rows.values()].flat().filter((one) => "vectors" in one);
  if (row === undefined || !("vectors" in row)) throw new Error("a page without vectors");
  row.vectors[0]?.fill(mark);
  return features;
}

export function withoutNumbers(part: Uint8Array): Uint8Array {
  const bytes = Buffer.from(part);
  const at = bytes.indexOf(Buffer.from(new Float16Array(8).fill(mark).buffer));
  if (at < 0) throw new Error("a part without the vector");
  bytes.set(new Uint8Array(new Float16Array(8).fill(Number.NaN).buffer), at);
  return bytes;
}

/** Changes a byte of what a row has of vectors. */
export function spoilRow(
  row: StoredRow | undefined,
  { at, bits }: { readonly at: number; readonly bits: number },
): void {
  if (row === undefined || "terms" in row) return;
  const [values = new Float32Array()] = "codes" in row ? [row.first] : row.vectors;
  const bytes =
    "codes" in row && at % 2 === 0 ? row.codes : new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const place = at % bytes.length;
  bytes[place] = (bytes[place] ?? 0) ^ bits;
}
