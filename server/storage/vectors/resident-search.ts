import type { PageKey, SearchScope } from "../../domain/ports/vectors.ts";
import { type CodedPage, codedPages, type PageCodes, reusedCodes } from "./coded-pages.ts";
import { datasetsWithin, rowId } from "./filters.ts";
import type { KeptColumn } from "./kept-column.ts";
import { untilEnough } from "./passing.ts";
import { type Addresses, locate, readColumn } from "./read-column.ts";
import type { ResidentRows } from "./resident-rows.ts";
import { valueIn } from "./rows-in-memory.ts";

/** The places of the rows of the scope that are nearest to the question. */
export async function nearestPlaces(
  rows: ResidentRows,
  question: Float32Array,
  { limit, pass, ...datasets }: Pick<SearchScope, "limit" | "pass" | "datasetIds" | "without">,
): Promise<readonly number[]> {
  const nearest = rows.nearestTo(question, datasetsWithin(datasets));
  if (pass === undefined) return nearest(limit);
  const { kept } = await untilEnough({ limit }, async (wanted) => {
    const found = nearest(wanted);
    const passed = await pass(new Set(found.map((place) => rows.pageAt(place).datasetId)));
    const some = found.filter((place) => passed.has(rows.pageAt(place).datasetId));
    return { kept: some.slice(0, limit), keptCount: some.length, count: found.length };
  });
  return kept;
}

/**
 * What `use` makes of the pages at the places, and of the others that the workspace has, with their codes. These are there for
 * as long as it runs: their memory is written to again for another question.
 */
export async function useCodes<Result>(
  column: KeptColumn<PageCodes>,
  rows: ResidentRows,
  { nearest, others }: { readonly nearest: readonly number[]; readonly others: readonly PageKey[] },
  use: (pages: readonly CodedPage[]) => Result,
): Promise<Result> {
  const places = new Set(nearest);
  /** Put since, or without vectors. */
  const unknown: PageKey[] = [];
  for (const page of others) {
    const place = rows.placeOf(page);
    if (place === undefined) unknown.push(page);
    else places.add(place);
  }
  const read: ReadCodes = { fromFiles: new Map(), fromTable: [] };
  const listUnread = (): readonly number[] => [...places].filter((place) => valueIn(rows.codes[place]) === undefined);
  let unread = listUnread();
  while (unread.length > 0 || unknown.length > 0) {
    await readCodes(column, rows, { places: unread, pages: unknown.splice(0) }, read);
    for (const place of unread) places.delete(place);
    // What was in memory may have left it meanwhile.
    unread = listUnread();
  }
  const pages = [...read.fromTable];
  for (const [place, codes] of read.fromFiles) pages.push({ page: rows.pageAt(place), codes });
  for (const place of places) {
    const codes = valueIn(rows.codes[place]);
    if (codes !== undefined) pages.push({ page: rows.pageAt(place), codes });
  }
  const result = use(pages);
  for (const [place, codes] of read.fromFiles) {
    rows.codes[place] = column.rows.hold(codes, () => column.files?.reuse(codes.all));
  }
  return result;
}

interface ReadCodes {
  /** By place. */
  readonly fromFiles: Map<number, PageCodes>;
  readonly fromTable: CodedPage[];
}

/** From the files of the table, and what cannot be read there from the table itself. */
async function readCodes(
  column: KeptColumn<PageCodes>,
  rows: ResidentRows,
  { places, pages }: { readonly places: readonly number[]; readonly pages: readonly PageKey[] },
  { fromFiles, fromTable }: ReadCodes,
): Promise<void> {
  const inFiles =
    places.length === 0 ? [] : await column.files?.read(column.table, rows.version, places.map(rows.addressAt));
  const left: number[] = [];
  for (const [at, place] of places.entries()) {
    const codes = inFiles?.[at];
    // A table that was mended or made anew since may have another row there, which may be another workspace's. It has another first vector.
    if (codes === undefined || !rows.areCodesOf(place, codes)) left.push(place);
    else fromFiles.set(place, reusedCodes(codes, rows.dimensions));
  }
  if (left.length === 0 && pages.length === 0) return;
  const addresses: Addresses = await locate(column, pages);
  for (const place of left) addresses.set(rowId(rows.pageAt(place)), rows.addressAt(place));
  fromTable.push(...codedPages(await readColumn(column, addresses)));
  for (const place of left) rows.codes[place] = column.rows.rowAt(rows.addressAt(place), rowId(rows.pageAt(place)));
}
