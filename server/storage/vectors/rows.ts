import type { Data, Table, Vector } from "apache-arrow";
import { parseWorkspaceId } from "../../domain/ids.ts";
import type {
  DenseRow,
  DenseSpace,
  LexicalRow,
  LexicalSpace,
  PageHit,
  StoredRow,
  TermsRow,
} from "../../domain/ports/vectors.ts";
import { parseRowId, rowId } from "./filters.ts";
import type { Lance } from "./lance.ts";
import { schemaOf } from "./tables.ts";
import { pageTerms } from "./terms.ts";

/** The rows of a dense table, one per page. Throws `TypeError` on a vector that the space cannot have. */
export function denseTable(lance: Lance, space: DenseSpace, pages: readonly DenseRow[]): Table {
  const vectors = vectorLists(
    lance,
    space,
    pages.map((row) => row.vectors),
  );
  const pooled = pages.map((row) => (row.pooled?.length ? row.pooled : row.vectors.slice(0, 1)));
  return tableOf(lance, schemaOf(lance, space), pages.length, [
    ...pageColumns(lance, pages),
    ...(space.firstPass === "pooled" ? [vectorLists(lance, space, pooled)] : []),
    vectors,
  ]);
}

export const lexicalTable = (lance: Lance, space: LexicalSpace, pages: readonly LexicalRow[]): Table =>
  termsTable(
    lance,
    space,
    pages.map(({ words, ...page }) => ({ ...page, terms: pageTerms(words) })),
  );

export function termsTable(lance: Lance, space: LexicalSpace, pages: readonly TermsRow[]): Table {
  return tableOf(lance, schemaOf(lance, space), pages.length, [
    ...pageColumns(lance, pages),
    textColumn(
      lance,
      pages.map(({ terms }) => terms),
    ),
  ]);
}

/** The rows of a table that `denseTable` or `termsTable` has made. Throws `TypeError` on any other. */
export function storedRows(table: Table): StoredRow[] {
  const column = (name: string) => table.getChild(name);
  const [ids, workspaces] = [column("id"), column("workspaceId")];
  const [terms, vectors, pooled] = [column("terms"), column("vectors"), column("pooled")];
  return Array.from({ length: table.numRows }, (_, index): StoredRow => {
    const page = parseRowId(String(ids?.get(index)));
    const workspaceId = parseWorkspaceId(String(workspaces?.get(index)));
    if (page === undefined || workspaceId === undefined) throw new TypeError("a row that belongs to no page");
    const row = { ...page, workspaceId };
    if (terms !== null) return { ...row, terms: String(terms.get(index)) };
    const dense = { ...row, vectors: vectorList(vectors?.get(index)) };
    return pooled === null ? dense : { ...dense, pooled: vectorList(pooled.get(index)) };
  });
}

/**
 * What a search found: rows of id, the column that ranks them, whose values become scores, and where it was
 * asked for a vector.
 */
export function hitsOf(
  table: Table,
  column: "_distance" | "_score",
  scoreOf: (rank: number) => number = (rank) => rank,
): PageHit[] {
  const ids = table.getChild("id");
  const ranks = table.getChild(column);
  const vectors = table.getChild("vector");
  const hits: PageHit[] = [];
  for (let index = 0; index < table.numRows; index++) {
    const row = parseRowId(String(ids?.get(index)));
    const score = scoreOf(Number(ranks?.get(index)));
    // The cosine of a vector of zeros is not a number: such a row is like nothing.
    if (row === undefined || !Number.isFinite(score)) continue;
    const hit = { ...row, score };
    hits.push(vectors === null ? hit : { ...hit, vector: float32(vectors.get(index)?.toArray()) });
  }
  return hits;
}

/** The vectors of the first row, in the order they were put; none without a row. */
export const vectorsIn = (table: Table): Float32Array[] =>
  vectorList(table.numRows === 0 ? undefined : table.getChild("vectors")?.get(0));

const vectorList = (list: Vector | null | undefined): Float32Array[] =>
  Array.from({ length: list?.length ?? 0 }, (_, index) => float32(list?.get(index)?.toArray()));

/** Arrow gives the bits of 16-bit floats as whole numbers. */
function float32(bits: unknown): Float32Array {
  if (!(bits instanceof Uint16Array)) throw new TypeError("a dense row without its vectors");
  return new Float32Array(new Float16Array(bits.buffer, bits.byteOffset, bits.length));
}

/** The columns that pages have in every space. */
function pageColumns(lance: Lance, pages: readonly StoredRow[]): Data[] {
  const text = (valueOf: (page: StoredRow) => string): Data => textColumn(lance, pages.map(valueOf));
  return [
    text(rowId),
    text(({ workspaceId }) => workspaceId),
    text(({ datasetId }) => datasetId),
    numberColumn(
      lance,
      pages.map(({ page }) => page),
    ),
  ];
}

/** A list of vectors for each page, without copying a vector more than once. */
function vectorLists({ arrow }: Lance, space: DenseSpace, pages: readonly (readonly Float32Array[])[]): Data {
  const { dimensions } = space;
  const offsets = Int32Array.from([0, ...pages.map(({ length }) => length)]);
  for (let index = 1; index < offsets.length; index++)
    offsets[index] = (offsets[index] ?? 0) + (offsets[index - 1] ?? 0);
  const count = offsets.at(-1) ?? 0;
  const values = new Float16Array(count * dimensions);
  for (const [index, vector] of pages.flat().entries()) {
    if (vector.length !== dimensions) {
      throw new TypeError(`a vector of ${vector.length} dimensions in the space ${space.name} of ${dimensions}`);
    }
    values.set(vector, index * dimensions);
  }
  if (!values.every(Number.isFinite))
    throw new TypeError(`a vector in the space ${space.name} with values out of range`);
  const element = new arrow.Field("item", new arrow.Float16(), true);
  const child = arrow.makeData({
    type: new arrow.FixedSizeList(dimensions, element),
    length: count,
    nullCount: 0,
    child: arrow.makeData({
      type: element.type,
      length: values.length,
      nullCount: 0,
      data: new Uint16Array(values.buffer),
    }),
  });
  const type = new arrow.List(new arrow.Field("item", child.type, true));
  return arrow.makeData({ type, length: pages.length, nullCount: 0, valueOffsets: offsets, child });
}

function tableOf({ arrow }: Lance, schema: Table["schema"], length: number, children: Data[]): Table {
  const data = arrow.makeData({ type: new arrow.Struct(schema.fields), length, nullCount: 0, children });
  return new arrow.Table(schema, new arrow.RecordBatch(schema, data));
}

function textColumn({ arrow }: Lance, values: readonly string[]): Data {
  return only(arrow.vectorFromArray(values, new arrow.Utf8()).data);
}

function numberColumn({ arrow }: Lance, values: readonly number[]): Data {
  return only(arrow.vectorFromArray(values, new arrow.Int32()).data);
}

function only([data]: readonly Data[]): Data {
  if (data === undefined) throw new Error("a column without data");
  return data;
}
