import type { Table, Vector } from "apache-arrow";
import type { ComputedPage, FeatureCodec, IndexOf } from "../../domain/ports/features.ts";
import type { SpaceRef, StoredRow } from "../../domain/ports/vectors.ts";
import { codesOf, isCoded } from "../vectors/dense/codes.ts";
import { pageTerms } from "../../ranking/terms/terms.ts";
import { columnsOf, readColumns, writeColumns } from "./columns.ts";

/** The name and version of the format (docs/reference/features-format.md), as in the metadata of each file. */
const format = { key: "drs.features", version: "1" };
const packKey = "drs.pack";

export const featureCodec: FeatureCodec = {
  make: (spaces, pages, index) => ({
    pages: pages.map(({ page }) => page),
    rows: new Map(spaces.map((space) => [space.name, pages.flatMap((page) => rowsOf(space, page, index))])),
  }),

  async encode(spaces, { pages, rows }) {
    const arrow = await import("apache-arrow");
    const pageColumn = arrow.vectorFromArray(pages, new arrow.Int32()).data;
    const columns = spaces.flatMap((space) => {
      const found = new Map(rows.get(space.name)?.map((row) => [row.page, row]));
      return writeColumns(
        { arrow },
        space,
        pages.map((page) => found.get(page)),
      );
    });
    const fields = [
      new arrow.Field("page", new arrow.Int32(), false),
      ...columns.map(({ name, data }) => new arrow.Field(name, data.type, true)),
    ];
    const children = [...pageColumn, ...columns.map(({ data }) => data)];
    const metadata = new Map([
      [format.key, format.version],
      [packKey, spaces[0]?.pack ?? ""],
    ]);
    const schema = new arrow.Schema(fields, metadata);
    const data = arrow.makeData({ type: new arrow.Struct(fields), length: pages.length, nullCount: 0, children });
    return arrow.tableToIPC(new arrow.Table(schema, new arrow.RecordBatch(schema, data)), "file");
  },

  async decode(spaces, bytes, index) {
    const [arrow, { readArrowFile }] = await Promise.all([import("apache-arrow"), import("./arrow-file.ts")]);
    const table = readArrowFile(bytes, (metadata) => {
      requireFormat(metadata, spaces);
      const columns = spaces.flatMap((space) => columnsOf({ arrow }, space));
      return [
        new arrow.Field("page", new arrow.Int32(), false),
        ...columns.map(({ name, type }) => new arrow.Field(name, type, true)),
      ];
    });
    const pages = pageNumbers(table);
    const keys = pages.map((page) => ({ ...index, page }));
    const columnOf = (name: string): Vector | null => table.getChild(name);
    return { pages, rows: new Map(spaces.map((space) => [space.name, readColumns(columnOf, space, keys)])) };
  },
};

/** Returns the row of a page in a space, or an empty array if the page has no features there. */
function rowsOf(space: SpaceRef, { page, spaces }: ComputedPage, index: IndexOf): StoredRow[] {
  const found = spaces.find((candidate) => candidate.space === space.name);
  const key = { ...index, page };
  if (space.kind === "lexical") {
    const terms = found?.kind === "lexical" ? pageTerms(found.words) : "";
    return terms === "" ? [] : [{ ...key, terms }];
  }
  if (found?.kind !== "dense" || found.vectors.length === 0) return [];
  if (isCoded(space)) return [{ ...key, ...codesOf(space, found.vectors) }];
  const { vectors, pooled } = found;
  return [{ ...key, vectors, ...(pooled !== undefined && { pooled }) }];
}

function requireFormat(metadata: ReadonlyMap<string, string>, [space]: readonly SpaceRef[]): void {
  const version = metadata.get(format.key);
  if (version === undefined) throw new TypeError("the file contains no features");
  if (version !== format.version) throw new TypeError("the features have another format version");
  if (metadata.get(packKey) !== space?.pack) throw new TypeError("the features belong to another model pack");
}

function pageNumbers(table: Table): number[] {
  const column = table.getChild("page");
  const numbers = Array.from({ length: table.numRows }, (_, at) => Number(column?.get(at)));
  const isSound = numbers.every((page) => Number.isInteger(page) && page > 0);
  if (!isSound || new Set(numbers).size !== numbers.length)
    throw new TypeError("page numbers are not unique positive integers");
  return numbers;
}
