import type { Data, Table } from "apache-arrow";
import type { DenseRow, DenseSpace, LexicalRow, LexicalSpace, PageHit } from "../../domain/ports/vectors.ts";
import { parseDatasetId } from "../../domain/ids.ts";
import type { Lance } from "./lance.ts";
import { schemaOf } from "./tables.ts";

/** The rows of a dense table, one per vector, without copying a vector more than once. */
export function denseTable(lance: Lance, space: DenseSpace, pages: readonly DenseRow[]): Table {
  const { arrow } = lance;
  const parts = pages.flatMap((row) => row.vectors.map((vector, part) => ({ ...row, vector, part })));
  const flat = new Float32Array(parts.length * space.dimensions);
  for (const [index, { vector }] of parts.entries()) {
    if (vector.length !== space.dimensions) {
      throw new TypeError(`a vector of ${vector.length} dimensions in the space ${space.name} of ${space.dimensions}`);
    }
    flat.set(vector, index * space.dimensions);
  }
  const schema = schemaOf(lance, space);
  const vectors = arrow.makeData({
    type: new arrow.FixedSizeList(space.dimensions, new arrow.Field("item", new arrow.Float32(), true)),
    length: parts.length,
    nullCount: 0,
    child: arrow.makeData({ type: new arrow.Float32(), length: flat.length, nullCount: 0, data: flat }),
  });
  return tableOf(lance, schema, parts.length, [
    textColumn(
      lance,
      parts.map(({ datasetId, page, part }) => `${datasetId}/${page}/${part}`),
    ),
    textColumn(
      lance,
      parts.map(({ workspaceId }) => workspaceId),
    ),
    textColumn(
      lance,
      parts.map(({ datasetId }) => datasetId),
    ),
    numberColumn(
      lance,
      parts.map(({ page }) => page),
    ),
    numberColumn(
      lance,
      parts.map(({ part }) => part),
    ),
    vectors,
  ]);
}

export function lexicalTable(lance: Lance, space: LexicalSpace, pages: readonly LexicalRow[]): Table {
  return tableOf(lance, schemaOf(lance, space), pages.length, [
    textColumn(
      lance,
      pages.map(({ datasetId, page }) => `${datasetId}/${page}`),
    ),
    textColumn(
      lance,
      pages.map(({ workspaceId }) => workspaceId),
    ),
    textColumn(
      lance,
      pages.map(({ datasetId }) => datasetId),
    ),
    numberColumn(
      lance,
      pages.map(({ page }) => page),
    ),
    textColumn(
      lance,
      pages.map(({ words }) => words),
    ),
  ]);
}

/** What a search found: rows of datasetId, page and the column that ranks them. */
export function hitsOf(table: Table, column: "_distance" | "_score"): PageHit[] {
  const datasetIds = table.getChild("datasetId");
  const pages = table.getChild("page");
  const ranks = table.getChild(column);
  const hits: PageHit[] = [];
  for (let index = 0; index < table.numRows; index++) {
    const datasetId = parseDatasetId(String(datasetIds?.get(index)));
    const rank = Number(ranks?.get(index));
    // The cosine of a vector of zeros is not a number: such a row is like nothing.
    if (datasetId === undefined || !Number.isFinite(rank)) continue;
    hits.push({ datasetId, page: Number(pages?.get(index)), score: column === "_distance" ? 1 - rank : rank });
  }
  return hits;
}

/** The vectors of a page's rows, in the order of their parts. */
export function vectorsIn(table: Table): Float32Array[] {
  const parts = table.getChild("part");
  const vectors = table.getChild("vector");
  const found = Array.from({ length: table.numRows }, (_, index) => {
    const values: unknown = vectors?.get(index)?.toArray();
    if (!(values instanceof Float32Array)) throw new TypeError("a dense row without its vector");
    // A copy: the original is a window into all that was read.
    return { part: Number(parts?.get(index)), vector: values.slice() };
  });
  return found.sort((one, other) => one.part - other.part).map(({ vector }) => vector);
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
