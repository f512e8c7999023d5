import type { FullTextQuery, Table } from "@lancedb/lancedb";
import {
  type BestOf,
  type LexicalSpace,
  type PageHit,
  rowKey,
  type SearchScope,
} from "../../../domain/ports/vectors.ts";
import { bestInOrder, type InOrder, maxInOrder } from "../../../ranking/parse/phrases.ts";
import { scopeFilter } from "../filters.ts";
import { findPages } from "./matching.ts";
import { eachOnce, ranked } from "../ranking.ts";
import { findInTexts } from "../../../ranking/terms/find-in-texts.ts";
import { type TermsMemory, termsOf } from "../rows/read-terms.ts";

interface ScopedSearch extends PageReader {
  /** Undefined if the order of words does not matter. */
  readonly inOrder: InOrder | undefined;
  /** Builds the query for the index, with the conditions of the scope. */
  readonly queryOf: (weighed: readonly WeighedTerms[]) => FullTextQuery;
}

/** The hits of a search by words, and the number of rows that were searched. */
export interface Searched {
  readonly hits: readonly PageHit[];
  readonly rows: number;
}

/** Maximum number of pages whose words are read: the maximum that a search requests (`candidatesFor`). */
const maxRead = 400;
/**
 * Maximum number of pages per term. If more pages have it, it counts as if this number had it, and only its best pages
 * are considered. With too many datasets to be named, finding pages also requires reading other pages of the workspace.
 */
const maxPagesOfTerm = { named: 1_000, unnamed: 200 };
/** Maximum number of queries; if there are more terms, several share a query. A query takes LanceDB about 2 ms. */
const maxQueries = 12;
/**
 * The assumed number of rows if there are too many datasets to be named (`maxNamed` in `parse/scope.ts`) or counted.
 */
const rowsOfUnnamed = 10_000;

/**
 * Searches a scope by BM25 with statistics of the scope alone. LanceDB scores with the statistics of the whole table,
 * so it is only used to find the pages of the scope with the terms; this function reads the terms of these pages and
 * scores them. If there are many such pages, each term is searched separately, which gives its frequency, and only the
 * most promising pages are read. Which low-ranked pages are then left out depends on the lengths of all rows of the
 * table.
 */
export async function searchWithin(
  request: ScopedSearch,
  weighed: readonly WeighedTerms[],
  scope: SearchScope,
  also?: Promise<BestOf>,
): Promise<Searched> {
  const { table, inOrder, queryOf } = request;
  const find = (some: readonly WeighedTerms[], limit: number): Promise<readonly PageHit[]> =>
    findPages(table, queryOf(some), { ...scope, limit });
  const [rows, all, best] = await Promise.all([countRowsIn(request, scope), find(weighed, maxRead), also]);
  const lists = weighed.flatMap(partsOf);
  const limit = scope.pass === undefined ? maxPagesOfTerm.named : maxPagesOfTerm.unnamed;
  const found =
    all.length < maxRead
      ? await findAmong(request, lists, all)
      : await Promise.all(lists.map(async (part) => find([part], limit)));
  const parts = lists.map(({ terms, weight }, at) => ({ terms, weight: weight * idfOf(found[at]?.length ?? 0, rows) }));
  const rerankCandidates = mostPromising(parts, found);
  const isOfBest = ({ datasetId }: PageHit): boolean => best?.datasetIds.includes(datasetId) ?? false;
  const read = [
    ...(await firstOf(rerankCandidates.slice(0, maxInOrder), maxRead, inOrder)),
    ...(await firstOf(rerankCandidates.filter(isOfBest), best?.limit ?? 0, inOrder)),
  ];
  const scored = await scoreByTerms(request, parts, eachOnce(read));
  const ofBest = scored.filter(isOfBest).slice(0, best?.limit);
  return { hits: eachOnce([...scored.slice(0, scope.limit), ...ofBest]), rows };
}

const firstOf = async (pages: readonly PageHit[], limit: number, inOrder: InOrder | undefined) =>
  inOrder === undefined ? pages.slice(0, limit) : bestInOrder(pages, limit, inOrder);

/**
 * Splits terms into groups that share a query. The first terms of a question are its words, followed by their forms.
 */
function partsOf({ terms, weight }: WeighedTerms): readonly WeighedTerms[] {
  // A guess has hundreds of spellings, of which a page has one or two, so one query is enough.
  const queries = weight < 1 ? 1 : Math.min(maxQueries, terms.length);
  return Array.from({ length: queries }, (_, part) => ({
    terms: terms.filter((_term, at) => at % queries === part),
    weight,
  }));
}

/** Returns the number of rows in the scope that belong to the space's unit: pages or documents. */
async function countRowsIn({ table, space }: PageReader, scope: SearchScope): Promise<number> {
  if (scope.pass !== undefined) return rowsOfUnnamed;
  const filter = scopeFilter(scope);
  return table.countRows(`isDocument = ${space.unit === "document"}${filter === undefined ? "" : ` AND ${filter}`}`);
}

/** Returns, for each part, the pages that have any of its terms, all with the same score. */
async function findAmong(
  reader: PageReader,
  parts: readonly WeighedTerms[],
  pages: readonly PageHit[],
): Promise<readonly (readonly PageHit[])[]> {
  const read = (await countTerms(reader, parts, pages)).map(({ counts }) => new Set(counts.map(({ part }) => part)));
  const alike = pages.map((page) => ({ ...page, score: 1 }));
  return parts.map((_, part) => alike.filter((_page, at) => read[at]?.has(part) === true));
}

/**
 * Ranks all pages by estimated score, best first. LanceDB's scores are comparable only among pages with the same term.
 */
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

/** Terms of a query, and their weight. */
export interface WeighedTerms {
  readonly terms: readonly string[];
  readonly weight: number;
}

/** The table and the cache from which pages are read. */
interface PageReader {
  readonly table: Table;
  readonly memory: TermsMemory;
  readonly space: LexicalSpace;
}

/** The usual parameters (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009). */
const [k1, b] = [1.2, 0.75];
/** Number of terms of a typical row. A mean over the pages that are read would differ from question to question. */
const usualLength = { page: 400, document: 1_000 };

/**
 * The weight of a word that `having` of the rows have. As in Lucene, one is added, so that it is never negative. 0 if
 * no row has it.
 */
const idfOf = (having: number, rows: number): number =>
  having === 0 ? 0 : Math.log1p((Math.max(rows, having) - having + 0.5) / (having + 0.5));

/**
 * Ranks pages by BM25, best first; pages with none of the terms are left out. `parts` are terms with their final
 * weights.
 */
async function scoreByTerms(
  reader: PageReader,
  parts: readonly WeighedTerms[],
  pages: readonly PageHit[],
): Promise<readonly PageHit[]> {
  const read = await countTerms(reader, parts, pages);
  const usual = usualLength[reader.space.unit ?? "page"];
  const scored = pages.map((page, at) => {
    const { length = 0, counts = [] } = read[at] ?? {};
    const long = k1 * (1 - b + (b * length) / usual);
    const scores = counts.map(({ part, count }) => ((parts[part]?.weight ?? 0) * count * (k1 + 1)) / (count + long));
    return { ...page, score: scores.reduce((sum, score) => sum + score, 0) };
  });
  return ranked(scored, scored.length).filter(({ score }) => score > 0);
}

interface CountedTerms {
  /** Number of all terms of the page. */
  readonly length: number;
  /** The part of each term that the page has, and its frequency on the page. */
  readonly counts: readonly { readonly part: number; readonly count: number }[];
}

/** Counts the terms on pages. A page that has been removed in the meantime has none. */
async function countTerms(
  { table, memory, space }: PageReader,
  parts: readonly Pick<WeighedTerms, "terms">[],
  pages: readonly PageHit[],
): Promise<readonly CountedTerms[]> {
  const texts = await termsOf(memory, space, { table, pages });
  const [terms, partOf] = [parts.flatMap((part) => part.terms), parts.flatMap((part, at) => part.terms.map(() => at))];
  return findInTexts(terms, texts).map((page) => {
    const counts = Map.groupBy(page?.asked ?? [], (term) => term);
    return {
      length: page?.length ?? 0,
      counts: Array.from(counts, ([term, { length: count }]) => ({ part: partOf[term] ?? 0, count })),
    };
  });
}
