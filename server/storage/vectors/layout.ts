import type { Table } from "@lancedb/lancedb";
import type { Data, Field, Schema, Table as ArrowTable } from "apache-arrow";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { Features } from "../../domain/ports/features.ts";
import type { SpacesOfPack } from "../../domain/ports/vector-store.ts";
import type { LexicalRow, LexicalSpace, PageKey, SpaceRef, StoredRow, TermsRow } from "../../domain/ports/vectors.ts";
import { pageTerms } from "../../ranking/terms/terms.ts";
import { columnsOf, readColumns, writeColumns } from "../features/columns.ts";
import { textColumn } from "./columns.ts";
import { documentId, parsePageId, pageId } from "./filters.ts";
import { loadLance, type Lance } from "./lance.ts";
import { isCoded } from "./dense/codes.ts";

type Arrow = Pick<Lance, "arrow">;

/** Marks the column by which merges find the row to replace, so that two writers cannot duplicate a row. */
const primaryKey = new Map([["lance-schema:unenforced-primary-key", "true"]]);

/** Marks a column of vectors for the first pass of a search, which finds the pages to compare. */
const firstPass = { key: "drs:first-pass", value: "true" };

export const isFirstPass = ({ metadata }: Pick<Field, "metadata">): boolean =>
  metadata.get(firstPass.key) === firstPass.value;

/** Returns the column of features by which a space is searched; undefined if it is not searched, or not by vectors. */
function searchedColumn(space: SpaceRef): string | undefined {
  if (space.kind === "lexical" || space.firstPass === "none") return undefined;
  if (isCoded(space)) return `${space.name}.first`;
  return `${space.name}.${space.firstPass === "pooled" ? "pooled" : "vectors"}`;
}

/** Returns the name of a column of features in the index, which allows fewer characters in names. */
export const columnName = (name: string): string =>
  name.replace(/[^a-z0-9]/gu, (letter) => `_${letter.codePointAt(0)?.toString(16)}_`);

/** Returns the column with the terms of a space of words. */
export const termsColumn = ({ name }: LexicalSpace): string => columnName(name);

/**
 * Returns the columns of a pack's tables: the ids of the row and its dataset, then the columns of its features
 * (docs/reference/features-format.md). Rows of documents have values only in spaces of documents, and rows of pages in
 * all other spaces.
 */
export function schemaOf(lance: Arrow, pack: SpacesOfPack): Schema {
  const { Bool, Field: ArrowField, Schema: ArrowSchema, Utf8 } = lance.arrow;
  const fields: Field[] = [
    new ArrowField("id", new Utf8(), false, primaryKey),
    new ArrowField("datasetId", new Utf8(), false),
    new ArrowField("isDocument", new Bool(), false),
  ];
  for (const space of spacesOf(pack)) {
    for (const { name, type } of columnsOf(lance, space)) {
      const metadata = new Map(name === searchedColumn(space) ? [[firstPass.key, firstPass.value]] : []);
      fields.push(new ArrowField(columnName(name), type, true, metadata));
    }
  }
  return new ArrowSchema(fields);
}

/** Returns all spaces of the pack, including that of documents. */
export const spacesOf = ({ spaces, reads }: SpacesOfPack): readonly SpaceRef[] =>
  reads === undefined ? spaces : [...spaces, reads.documents];

const columnsOfTables = new WeakMap<Table, Promise<string>>();

/** Whether a table has the columns of the pack. It may have been created for other spaces or with another layout. */
export async function hasColumns(table: Table, pack: SpacesOfPack): Promise<boolean> {
  const known = columnsOfTables.get(table) ?? table.schema().then(textOf);
  columnsOfTables.set(table, known);
  known.catch(() => columnsOfTables.delete(table));
  return (await known) === textOf(schemaOf(await loadLance(), pack));
}

const textOf = ({ fields }: Pick<Schema, "fields">): string =>
  fields.map(({ name, type }) => `${name} ${dimensionsOf(type)}`).join(", ");

/** Returns the dimensions of a column of vectors, or of lists of vectors; 0 for other columns. */
export function dimensionsOf(type: unknown): number {
  if (typeof type !== "object" || type === null) return 0;
  if ("listSize" in type) return Number(type.listSize);
  if (!("children" in type) || !Array.isArray(type.children)) return 0;
  const [child] = type.children;
  return dimensionsOf(child?.type);
}

/** Builds the rows of pages. Throws `TypeError` on values that do not belong in the spaces. */
export function tableOfPages(
  lance: Arrow,
  pack: SpacesOfPack,
  { pages, rows }: Features,
  index: Omit<PageKey, "page">,
): ArrowTable {
  const keys = pages.map((page) => ({ ...index, page }));
  const columns = spacesOf(pack).map((space) => {
    const found = new Map(rows.get(space.name)?.map((row) => [row.page, row]));
    return writeColumns(
      lance,
      space,
      pages.map((page) => found.get(page)),
    );
  });
  return tableOf(lance, pack, { ids: keys.map(pageId), isDocument: false, keys, columns });
}

/** Builds the rows of documents in the pack's space of documents. */
export function tableOfDocuments(
  lance: Arrow,
  pack: SpacesOfPack,
  documents: readonly (LexicalRow | TermsRow)[],
): ArrowTable {
  const rows = documents.map(asTerms);
  const nothing = documents.map(() => undefined);
  const columns = spacesOf(pack).map((space) =>
    writeColumns(lance, space, space === pack.reads?.documents ? rows : nothing),
  );
  return tableOf(lance, pack, { ids: documents.map(documentId), isDocument: true, keys: documents, columns });
}

const asTerms = (row: LexicalRow | TermsRow): TermsRow =>
  "terms" in row ? row : { ...row, terms: pageTerms(row.words) };

interface Parts {
  readonly ids: readonly string[];
  readonly isDocument: boolean;
  readonly keys: readonly Pick<PageKey, "datasetId">[];
  /** The columns of each space. */
  readonly columns: readonly (readonly { readonly data: Data }[])[];
}

function tableOf(lance: Arrow, pack: SpacesOfPack, { ids, isDocument, keys, columns }: Parts): ArrowTable {
  const { arrow } = lance;
  const schema = schemaOf(lance, pack);
  const datasets = keys.map(({ datasetId }) => datasetId);
  const kinds = arrow.vectorFromArray(
    keys.map(() => isDocument),
    new arrow.Bool(),
  ).data;
  const features = columns.flat().map(({ data }) => data);
  const children = [textColumn(lance, ids), textColumn(lance, datasets), ...kinds, ...features];
  const data = arrow.makeData({ type: new arrow.Struct(schema.fields), length: ids.length, nullCount: 0, children });
  return new arrow.Table(schema, new arrow.RecordBatch(schema, data));
}

/** Converts rows with ids back to features of the space. */
export function rowsIn(table: ArrowTable, space: SpaceRef, workspaceId: WorkspaceId): StoredRow[] {
  // Without rows, LanceDB returns no columns either.
  if (table.numRows === 0) return [];
  const keys = Array.from(table.getChild("id") ?? [], (id) => {
    const page = parsePageId(String(id));
    if (page === undefined) throw new TypeError("a row that belongs to no page");
    return { ...page, workspaceId };
  });
  return readColumns((name) => table.getChild(columnName(name)), space, keys);
}
