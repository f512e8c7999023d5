import type { FullTextQuery, Occur, Table } from "@lancedb/lancedb";
import { isOfOrder, type LexicalSpace, type PageKey, type WordConditions } from "../../../domain/ports/vectors.ts";
import { parsePageId, rowIdIn, rowsFilter } from "../filters.ts";
import { loadLance, type Lance } from "../lance.ts";
import { termsColumn } from "../layout.ts";
import { createPageMap, type PageMap } from "../../../domain/page-map.ts";
import { orderChecker } from "../../../ranking/parse/phrases.ts";
import { type TermsMemory, termsOf } from "../rows/read-terms.ts";
import { termsInOrder } from "../../../ranking/terms/terms.ts";

/**
 * Restricts the query to pages with all words of the phrases, in any order, and without the excluded words. The order
 * of words is checked in the results.
 */
export function conditional(
  lance: Lance,
  space: LexicalSpace,
  query: FullTextQuery,
  { phrases, without }: WordConditions,
): FullTextQuery {
  const { BooleanQuery, Occur: occur } = lance.lancedb;
  const clauses: [Occur, FullTextQuery][] = [[occur.Must, query]];
  for (const phrase of phrases) clauses.push([occur.Must, withAll(lance, space, phrase)]);
  for (const word of without) clauses.push([occur.MustNot, withAll(lance, space, word)]);
  return new BooleanQuery(clauses);
}

function withAll({ lancedb }: Lance, space: LexicalSpace, text: string): FullTextQuery {
  const operator = lancedb.Operator.And;
  return new lancedb.MatchQuery(termsInOrder(text).join(" "), termsColumn(space), { operator });
}

interface ConditionCheck {
  /** Undefined if the workspace has no table in the pack. */
  readonly table: Table | undefined;
  readonly pages: readonly PageKey[];
  readonly conditions: WordConditions;
}

/** Returns the pages that meet the conditions; see `VectorStore.meeting`. */
export async function pagesMeeting(
  terms: TermsMemory,
  space: LexicalSpace,
  { table, pages, conditions }: ConditionCheck,
): Promise<readonly PageKey[]> {
  const { phrases, without } = conditions;
  const hasOrder = isOfOrder(conditions);
  if (pages.length === 0) return [];
  if (table === undefined) return phrases.length === 0 ? pages : [];
  const [texts, excluded] = await Promise.all([
    hasOrder ? termsOf(terms, space, { table, pages }) : undefined,
    findWithAny(table, space, { pages, without }),
  ]);
  const isInOrder = orderChecker(conditions);
  return pages.filter((page, at) => excluded.get(page) !== true && (!hasOrder || isInOrder(texts?.[at] ?? "")));
}

/** Returns the pages that have all terms of at least one of the words. */
async function findWithAny(
  table: Table,
  space: LexicalSpace,
  { pages, without }: Pick<ConditionCheck, "pages"> & Pick<WordConditions, "without">,
): Promise<PageMap<true>> {
  const found = createPageMap<true>();
  const lance = await loadLance();
  const filter = rowsFilter(pages.map(rowIdIn(space)));
  const rows = without.map((word) => {
    const query = table
      .query()
      .fullTextSearch(withAll(lance, space, word))
      .where(filter);
    return query.select(["id", "_score"]).limit(pages.length).toArrow();
  });
  for (const id of (await Promise.all(rows)).flatMap((some) => [...(some.getChild("id") ?? [])])) {
    const page = parsePageId(String(id));
    if (page !== undefined) found.set(page, true);
  }
  return found;
}
