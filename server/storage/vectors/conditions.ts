import type { FullTextQuery, Occur, Table } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import type { WorkspaceId } from "../../domain/ids.ts";
import { type LexicalSpace, type PageKey, rowKey, type WordConditions } from "../../domain/ports/vectors.ts";
import { retryVanished } from "./conflicts.ts";
import { parseRowId, rowsInFilter } from "./filters.ts";
import { loadLance, type Lance } from "./lance.ts";
import type { Tables } from "./tables.ts";
import { maxParts, termsInOrder, writtenTerms } from "./terms.ts";

/** Pages that have all words of the phrases, of which so many are looked at, the best by their words, for the order of these. */
export const maxInOrder = 1_000;

/** The same query, for pages that have all words of the phrases in any order and none of the words that are left out. */
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

/** The keys of the rows whose terms contain every phrase, word after word. */
export function rowsWithPhrases(rows: ArrowTable, phrases: readonly string[]): ReadonlySet<string> {
  const wanted = phrases.map(lookFor);
  const [ids, terms] = [rows.getChild("id"), rows.getChild("terms")];
  const found: unknown[] = [];
  for (let index = 0; index < rows.numRows; index++) {
    const text = ` ${String(terms?.get(index)).toLowerCase()} `;
    if (!wanted.every(({ near }) => near.every((pair) => pair.test(text)))) continue;
    const written = ` ${writtenTerms(String(terms?.get(index)).split(" ")).join(" ")} `;
    if (wanted.every(({ spaced }) => written.includes(spaced))) found.push(ids?.get(index));
  }
  return new Set(keysOf(found));
}

interface Phrase {
  readonly spaced: string;
  /** Its first neighbours, with room for the parts of an identifier between them: most rows are not looked at more closely. */
  readonly near: readonly RegExp[];
}

/** Neighbours that are looked for before the order of all words. */
const maxNear = 8;

function lookFor(phrase: string): Phrase {
  const words = termsInOrder(phrase);
  const near = words.slice(0, maxNear).map((word, at) => {
    const [one, next] = [RegExp.escape(word), words[at + 1]];
    // Each pair for itself: one expression for all of them would try every way to share the room.
    const then = next === undefined ? "" : `(?: [^ ]+){0,${maxParts}} ${RegExp.escape(next)}`;
    return new RegExp(` ${one}${then} `, "u");
  });
  return { spaced: ` ${words.join(" ")} `, near };
}

interface Asked {
  readonly pages: readonly PageKey[];
  readonly conditions: WordConditions;
  readonly workspaceId: WorkspaceId;
}

/** Those of the pages that meet the conditions; see `VectorStore.meeting`. */
export async function pagesMeeting(
  tables: Pick<Tables, "find">,
  space: LexicalSpace,
  { pages, conditions, workspaceId }: Asked,
): Promise<readonly PageKey[]> {
  const { phrases, without } = conditions;
  if (pages.length === 0) return [];
  const table = await tables.find(space);
  if (table === undefined) return phrases.length === 0 ? pages : [];
  const lance = await loadLance();
  const filter = rowsInFilter(workspaceId, pages);
  return retryVanished(async () => {
    const [inOrder, excluded] = await Promise.all([
      phrases.length === 0 ? undefined : pagesInOrder(table, filter, phrases),
      Promise.all(without.map((word) => pagesWith(table, filter, withAll(lance, word), pages.length))),
    ]);
    const out = new Set(excluded.flat());
    return pages.filter((page) => !out.has(rowKey(page)) && (inOrder?.has(rowKey(page)) ?? true));
  });
}

async function pagesInOrder(table: Table, filter: string, phrases: readonly string[]): Promise<ReadonlySet<string>> {
  return rowsWithPhrases(await table.query().where(filter).select(["id", "terms"]).toArrow(), phrases);
}

async function pagesWith(table: Table, filter: string, query: FullTextQuery, limit: number): Promise<string[]> {
  const rows = await table.query().fullTextSearch(query).where(filter).select(["id", "_score"]).limit(limit).toArrow();
  return keysOf([...(rows.getChild("id") ?? [])]);
}

const keysOf = (ids: readonly unknown[]): string[] =>
  ids.flatMap((id) => {
    const page = parseRowId(String(id));
    return page === undefined ? [] : [rowKey(page)];
  });
