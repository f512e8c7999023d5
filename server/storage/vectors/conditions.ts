import type { FullTextQuery, Occur, Table } from "@lancedb/lancedb";
import type { WorkspaceId } from "../../domain/ids.ts";
import { isOfOrder, type LexicalSpace, type PageKey, type WordConditions } from "../../domain/ports/vectors.ts";
import { retryVanished } from "./conflicts.ts";
import { parseRowId, rowsInFilter } from "./filters.ts";
import { loadLance, type Lance } from "./lance.ts";
import { createPageMap, type PageMap } from "./page-map.ts";
import { orderChecker } from "../../ranking/parse/phrases.ts";
import { type TermsMemory, termsOf } from "./read-terms.ts";
import type { Tables } from "./tables.ts";
import { termsInOrder } from "../../ranking/terms/terms.ts";

/**
 * The same query, for pages that have all words of the phrases in any order and none of the words that are left out. What is to
 * be in order is looked at in what it finds.
 */
export function conditional(lance: Lance, query: FullTextQuery, { phrases, without }: WordConditions): FullTextQuery {
  const { BooleanQuery, Occur: occur } = lance.lancedb;
  const clauses: [Occur, FullTextQuery][] = [[occur.Must, query]];
  for (const phrase of phrases) clauses.push([occur.Must, withAll(lance, phrase)]);
  for (const word of without) clauses.push([occur.MustNot, withAll(lance, word)]);
  return new BooleanQuery(clauses);
}

function withAll({ lancedb }: Lance, text: string): FullTextQuery {
  return new lancedb.MatchQuery(termsInOrder(text).join(" "), "terms", { operator: lancedb.Operator.And });
}

interface Asked {
  readonly pages: readonly PageKey[];
  readonly conditions: WordConditions;
  readonly workspaceId: WorkspaceId;
}

/** Those of the pages that meet the conditions; see `VectorStore.meeting`. */
export async function pagesMeeting(
  { tables, terms }: { readonly tables: Pick<Tables, "find">; readonly terms: TermsMemory },
  space: LexicalSpace,
  { pages, conditions, workspaceId }: Asked,
): Promise<readonly PageKey[]> {
  const { phrases, without } = conditions;
  const hasOrder = isOfOrder(conditions);
  if (pages.length === 0) return [];
  const table = await tables.find(space);
  if (table === undefined) return phrases.length === 0 ? pages : [];
  return retryVanished(async () => {
    const [texts, excluded] = await Promise.all([
      hasOrder ? termsOf(terms, { table, workspaceId, pages }) : undefined,
      findWithAny(table, { pages, without, workspaceId }),
    ]);
    const isInOrder = orderChecker(conditions);
    return pages.filter((page, at) => excluded.get(page) !== true && (!hasOrder || isInOrder(texts?.[at] ?? "")));
  });
}

/** The pages with all terms of any of the words. */
async function findWithAny(
  table: Table,
  { pages, without, workspaceId }: Pick<Asked, "pages" | "workspaceId"> & Pick<WordConditions, "without">,
): Promise<PageMap<true>> {
  const found = createPageMap<true>();
  const lance = await loadLance();
  const filter = rowsInFilter(workspaceId, pages);
  const rows = without.map((word) => {
    const query = table.query().fullTextSearch(withAll(lance, word)).where(filter);
    return query.select(["id", "_score"]).limit(pages.length).toArrow();
  });
  for (const id of (await Promise.all(rows)).flatMap((some) => [...(some.getChild("id") ?? [])])) {
    const page = parseRowId(String(id));
    if (page !== undefined) found.set(page, true);
  }
  return found;
}
