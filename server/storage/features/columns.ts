import type { Data, DataType, Vector } from "apache-arrow";
import type { DenseSpace, SpaceRef, StoredRow } from "../../domain/ports/vectors.ts";
import { checkedCodes, codesOf, isCoded } from "../vectors/dense/codes.ts";
import { bytesColumn, float32, textColumn, vectorColumn, vectorLists } from "../vectors/columns.ts";
import type { Lance } from "../vectors/lance.ts";

type Arrow = Pick<Lance, "arrow">;

interface Column {
  readonly name: string;
  readonly data: Data;
}

type Rows = readonly (StoredRow | undefined)[];

/** Names and types of the columns of a space. */
export function columnsOf({ arrow }: Arrow, space: SpaceRef): { readonly name: string; readonly type: DataType }[] {
  if (space.kind === "lexical") return [{ name: space.name, type: new arrow.Utf8() }];
  const element = new arrow.Field("item", new arrow.Float16(), true);
  const vector = new arrow.FixedSizeList(space.dimensions, element);
  if (isCoded(space)) {
    return [
      { name: `${space.name}.first`, type: vector },
      { name: `${space.name}.codes`, type: new arrow.Binary() },
    ];
  }
  const type = new arrow.List(new arrow.Field("item", vector, true));
  const names = space.firstPass === "pooled" ? ["vectors", "pooled"] : ["vectors"];
  return names.map((name) => ({ name: `${space.name}.${name}`, type }));
}

/**
 * Writes the columns of a space, with null for pages that have no features in it. Throws `TypeError` on rows that do
 * not belong in the space.
 */
export function writeColumns(lance: Arrow, space: SpaceRef, rows: Rows): Column[] {
  const column = (name: string, data: Data): Column => ({ name, data: withNulls(data, rows) });
  if (space.kind === "lexical") {
    const terms = rows.map((row) => (row === undefined ? "" : termsIn(space, row)));
    return [column(space.name, textColumn(lance, terms))];
  }
  if (isCoded(space)) {
    const nothing = { first: new Float32Array(space.dimensions), codes: new Uint8Array() };
    const coded = rows.map((row) => (row === undefined ? nothing : codesIn(space, row)));
    const firsts = coded.map(({ first }) => first);
    const codes = coded.map((one) => one.codes);
    return [
      column(`${space.name}.first`, vectorColumn(lance, space, firsts)),
      column(`${space.name}.codes`, bytesColumn(lance, codes)),
    ];
  }
  const vectors = rows.map((row) => (row === undefined ? [] : vectorsIn(space, row)));
  const all = column(`${space.name}.vectors`, vectorLists(lance, space, vectors));
  if (space.firstPass !== "pooled") return [all];
  const pooled = rows.map((row, at) => {
    const few = row !== undefined && "pooled" in row ? (row.pooled ?? []) : [];
    return few.length > 0 ? few : (vectors[at] ?? []).slice(0, 1);
  });
  return [all, column(`${space.name}.pooled`, vectorLists(lance, space, pooled))];
}

function termsIn({ name }: SpaceRef, row: StoredRow): string {
  if ("terms" in row) return row.terms;
  throw new TypeError(`a row of vectors in the space ${name} of words`);
}

function vectorsIn({ name }: SpaceRef, row: StoredRow): readonly Float32Array[] {
  if ("vectors" in row) return row.vectors;
  throw new TypeError(`a row without vectors in the space ${name}`);
}

function codesIn(space: DenseSpace, row: StoredRow): ReturnType<typeof codesOf> {
  if ("codes" in row) return checkedCodes(space, row);
  if ("vectors" in row) return codesOf(space, row.vectors);
  throw new TypeError(`a row of words in the space ${space.name} of vectors`);
}

function withNulls(data: Data, rows: Rows): Data {
  const nullCount = rows.filter((row) => row === undefined).length;
  if (nullCount === 0) return data;
  const nullBitmap = new Uint8Array(Math.ceil(rows.length / 8));
  for (const [at, row] of rows.entries()) {
    if (row !== undefined) nullBitmap[at >> 3] = (nullBitmap[at >> 3] ?? 0) | (1 << (at & 7));
  }
  const { type, offset, length, valueOffsets, values, typeIds, children } = data;
  return data.clone(type, offset, length, nullCount, [valueOffsets, values, nullBitmap, typeIds], children);
}

/** Checks by shape, because LanceDB bundles its own copy of Arrow with different classes. */
const isVector = (value: unknown): value is Vector =>
  typeof value === "object" && value !== null && "toArray" in value && Symbol.iterator in value;

type Key = Pick<StoredRow, "datasetId" | "workspaceId" | "generation" | "page">;

/**
 * Reads the rows of a space for the keys of the pages, in the same order. `columnOf` returns a column by name. Throws
 * `TypeError` if the columns are not those of `writeColumns`.
 */
export function readColumns(
  columnOf: (name: string) => Vector | null,
  space: SpaceRef,
  keys: readonly Key[],
): StoredRow[] {
  const column = (name: string): Vector => {
    const found = columnOf(name);
    if (found === null) throw new TypeError(`features without the column ${name}`);
    return found;
  };
  if (space.kind === "lexical") {
    const terms = column(space.name);
    return rowsWhere(terms, keys, (key, text) => {
      if (typeof text !== "string") throw new TypeError(`the column ${space.name} of a page does not contain terms`);
      return { ...key, terms: text };
    });
  }
  if (isCoded(space)) {
    const firsts = column(`${space.name}.first`);
    return rowsWhere(column(`${space.name}.codes`), keys, (key, codes, at) => {
      if (!(codes instanceof Uint8Array))
        throw new TypeError(`the column ${space.name} of a page does not contain codes`);
      return { ...key, first: float32(firsts.get(at)?.toArray()), codes };
    });
  }
  const vectorList = (list: unknown): Float32Array[] => {
    if (!isVector(list)) throw new TypeError(`the column ${space.name} of a page does not contain vectors`);
    return Array.from(list, (vector) => float32(vector?.toArray()));
  };
  const pooled = space.firstPass === "pooled" ? column(`${space.name}.pooled`) : undefined;
  return rowsWhere(column(`${space.name}.vectors`), keys, (key, vectors, at) => ({
    ...key,
    vectors: vectorList(vectors),
    ...(pooled !== undefined && { pooled: vectorList(pooled.get(at)) }),
  }));
}

const rowsWhere = (
  column: Vector,
  keys: readonly Key[],
  toRow: (key: Key, value: unknown, at: number) => StoredRow,
): StoredRow[] =>
  keys.flatMap((key, at) => {
    const value: unknown = column.get(at);
    return value === null ? [] : [toRow(key, value, at)];
  });
