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
  const unread = new Map<string, number>();
  for (const place of places) {
    const [page, codes] = [rows.pageAt(place), valueIn(rows.codes[place])];
    if (codes === undefined) unread.set(rowId(page), place);
    else pages.push({ page, codes });
  }
  if (unread.size === 0 && unknown.length === 0) return pages;
  const addresses: Addresses = await locate(column, unknown);
  for (const [id, place] of unread) addresses.set(id, rows.addressAt(place));
  const read = await readColumn(column, addresses);
  for (const [id, place] of unread) rows.codes[place] = column.rows.rowAt(rows.addressAt(place), id);
  return [...pages, ...codedPages(read)];
}
