import type { FullTextQuery } from "@lancedb/lancedb";
import { type BestOf, type PageHit, rowKey, type SearchScope } from "../../domain/ports/vectors.ts";
import { bestInOrder, type InOrder, maxInOrder } from "../../ranking/parse/phrases.ts";
import { countTerms, idfOf, type PageReader, scoreByTerms, type WeighedTerms } from "./bm25.ts";
import { scopeFilter } from "./filters.ts";
import { findPages } from "./matching.ts";
import { eachOnce, ranked } from "./ranking.ts";

interface Asked extends PageReader {
  /** Undefined: nothing is to be in order. */
  readonly inOrder: InOrder | undefined;
  /** Makes the query of the index, under the conditions of the scope. */
  readonly queryOf: (weighed: readonly WeighedTerms[]) => FullTextQuery;
}

/** What a search of words has found, in how many rows. */
export interface Searched {
  readonly hits: readonly PageHit[];
  readonly rows: number;
}

/** Pages whose words are read: as many as a search asks for at most (`candidatesFor`). */
const maxRead = 400;
/**
 * A word that more pages have counts as if so many had it; of these the best by it alone are looked at. Where datasets are too many
 * to be named, finding them takes looking at other pages of the workspace as well.
 */
const maxPagesOfTerm = { named: 1_000, unnamed: 200 };
/** A question of more terms asks for several of them at once. A query takes LanceDB some 2 ms. */
const maxQueries = 12;
/** Rows of datasets that are too many to be named (`maxNamed` in `parse/scope.ts`) cannot be counted. */
const rowsOfUnnamed = 10_000;

/**
 * Searches a scope by BM25 with statistics that no row out of it has a part in. LanceDB scores with those of the whole table, so it
 * is only asked which pages of the scope have the terms, and what these pages have is read and scored here. Where they are many,
 * each term is asked for alone, which gives its frequency, and the most promising pages are read: in which of those far down are
 * left out the lengths of all rows have a say.
 */
export async function searchWithin(
  asked: Asked,
  weighed: readonly WeighedTerms[],
  scope: SearchScope,
  also?: Promise<BestOf>,
): Promise<Searched> {
  const { table, inOrder, queryOf } = asked;
  const find = (some: readonly WeighedTerms[], limit: number): Promise<readonly PageHit[]> =>
    findPages(table, queryOf(some), { ...scope, limit });
  const [rows, all, best] = await Promise.all([countRowsIn(asked, scope), find(weighed, maxRead), also]);
  const lists = weighed.flatMap(partsOf);
  const limit = scope.pass === undefined ? maxPagesOfTerm.named : maxPagesOfTerm.unnamed;
  const found =
    all.length < maxRead
      ? await findAmong(asked, lists, all)
      : await Promise.all(lists.map(async (part) => find([part], limit)));
  const parts = lists.map(({ terms, weight }, at) => ({ terms, weight: weight * idfOf(found[at]?.length ?? 0, rows) }));
  const promising = mostPromising(parts, found);
  const isOfBest = ({ datasetId }: PageHit): boolean => best?.datasetIds.includes(datasetId) ?? false;
  const read = [
    ...(await firstOf(promising.slice(0, maxInOrder), maxRead, inOrder)),
    ...(await firstOf(promising.filter(isOfBest), best?.limit ?? 0, inOrder)),
  ];
  const scored = await scoreByTerms(asked, parts, eachOnce(read));
  const ofBest = scored.filter(isOfBest).slice(0, best?.limit);
  return { hits: eachOnce([...scored.slice(0, scope.limit), ...ofBest]), rows };
}

const firstOf = async (pages: readonly PageHit[], limit: number, inOrder: InOrder | undefined) =>
  inOrder === undefined ? pages.slice(0, limit) : bestInOrder(pages, limit, inOrder);

/** Terms that are asked for at once. The first of a question are its words, and after them come forms of these. */
function partsOf({ terms, weight }: WeighedTerms): readonly WeighedTerms[] {
  // Of the hundreds of spellings of a guess pages have one or two.
  const queries = weight < 1 ? 1 : Math.min(maxQueries, terms.length);
  return Array.from({ length: queries }, (_, part) => ({
    terms: terms.filter((_term, at) => at % queries === part),
    weight,
  }));
}

/** How many rows of the space's unit the scope has. */
async function countRowsIn({ table, space }: PageReader, scope: SearchScope): Promise<number> {
  if (scope.pass !== undefined) return rowsOfUnnamed;
  const filter = scopeFilter(scope);
  return table.countRows(`isDocument = ${space.unit === "document"}${filter === undefined ? "" : ` AND ${filter}`}`);
}

/** Of each part, which of the pages have any of its terms; none has more of it than another. */
async function findAmong(
  reader: PageReader,
  parts: readonly WeighedTerms[],
  pages: readonly PageHit[],
): Promise<readonly (readonly PageHit[])[]> {
  const read = (await countTerms(reader, parts, pages)).map(({ counts }) => new Set(counts.map(({ part }) => part)));
  const alike = pages.map((page) => ({ ...page, score: 1 }));
  return parts.map((_, part) => alike.filter((_page, at) => read[at]?.has(part) === true));
}

/** All pages, those first that have most of what counts. LanceDB's scores only tell pages with the same term apart. */
function mostPromising(parts: readonly WeighedTerms[], found: readonly (readonly PageHit[])[]): readonly PageHit[] {
  const sums = new Map<string, PageHit>();
  for (const [part, pages] of found.entries()) {
    const each = (parts[part]?.weight ?? 0) / (pages[0]?.score ?? 1);
    for (const page of pages) {
      const score = (sums.get(rowKey(page))?.score ?? 0) + each * page.score;
      sums.set(rowKey(page), { ...page, score });
    }
  }
  return ranked([...sums.values()], sums.size);
}
