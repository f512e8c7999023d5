import type { PageKey, SearchScope } from "../../domain/ports/vectors.ts";
import { type CodedPage, codedPages } from "./coded-pages.ts";
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

/** The pages at the places, and the others that the workspace has, with their codes. */
export async function pagesWithCodes(
  column: KeptColumn<Uint8Array>,
  rows: ResidentRows,
  nearest: readonly number[],
  others: readonly PageKey[],
): Promise<readonly CodedPage[]> {
  const places = new Set(nearest);
  /** Put since, or without vectors. */
  const unknown: PageKey[] = [];
  for (const page of others) {
    const place = rows.placeOf(page);
    if (place === undefined) unknown.push(page);
    else places.add(place);
  }
  const pages: CodedPage[] = [];
  const unread: number[] = [];
  for (const place of places) {
    const codes = valueIn(rows.codes[place]);
    if (codes === undefined) unread.push(place);
    else pages.push({ page: rows.pageAt(place), codes });
  }
  const left = await readFiles(column, rows, unread, pages);
  if (left.length === 0 && unknown.length === 0) return pages;
  const addresses: Addresses = await locate(column, unknown);
  for (const place of left) addresses.set(rowId(rows.pageAt(place)), rows.addressAt(place));
  const read = await readColumn(column, addresses);
  for (const place of left) rows.codes[place] = keptAt(column, rows, place);
  return [...pages, ...codedPages(read)];
}

/** Adds the pages at places whose codes are in memory by their ids, or in the files of the table; gives the places of the others. */
async function readFiles(
  column: KeptColumn<Uint8Array>,
  rows: ResidentRows,
  places: readonly number[],
  pages: CodedPage[],
): Promise<readonly number[]> {
  const { files, table, rows: memory } = column;
  if (files === undefined || places.length === 0) return places;
  const add = (place: number, codes: Uint8Array): number => pages.push({ page: rows.pageAt(place), codes });
  const unread: number[] = [];
  for (const place of places) {
    const codes = memory.count === 0 ? undefined : valueIn((rows.codes[place] = keptAt(column, rows, place)));
    if (codes === undefined) unread.push(place);
    else add(place, codes);
  }
  const read = await files.read(table, rows.version, unread.map(rows.addressAt));
  const left: number[] = [];
  for (const [at, place] of unread.entries()) {
    const codes = read[at];
    // A table that was mended or made anew since may have another row there, which may be another workspace's. It has another first vector.
    if (codes === undefined || !rows.areCodesOf(place, codes)) left.push(place);
    else {
      rows.codes[place] = memory.hold(codes);
      add(place, codes);
    }
  }
  return left;
}

const keptAt = ({ rows: memory }: KeptColumn<Uint8Array>, rows: ResidentRows, place: number) =>
  memory.rowAt(rows.addressAt(place), rowId(rows.pageAt(place)));
