import type { Table } from "@lancedb/lancedb";
import type { FoundTerms, TermsRead } from "../../domain/ports/question-words.ts";
import { type LexicalSpace, type PageKey, rowKey } from "../../domain/ports/vectors.ts";
import { layerWritings } from "../../ranking/terms/layer-writings.ts";
import { findInTexts } from "../../ranking/terms/find-in-texts.ts";
import { rowIdIn } from "./filters.ts";
import { termsColumn } from "./layout.ts";
import { readPages } from "./read-column.ts";
import { createRowsInMemory, type RowsInMemory } from "./rows-in-memory.ts";
import { questionTerms } from "../../ranking/terms/terms.ts";

/** Terms of pages that were read lately. */
export type TermsInMemory = RowsInMemory<string>;

/** Some ten thousand pages of text. */
const maxCharactersInMemory = 32 * 2 ** 20;

export const createTermsInMemory = (): TermsInMemory =>
  createRowsInMemory({ maxBytes: maxCharactersInMemory, bytesOf: ({ length }) => length });

/** What a process remembers of the words of pages; documents apart, whose rows have the numbers of pages. */
export interface TermsMemory {
  readonly pages: TermsInMemory;
  readonly documents: TermsInMemory;
}

/** The part of it that is of the space. */
export const memoryOf = ({ pages, documents }: TermsMemory, { unit }: LexicalSpace): TermsInMemory =>
  unit === "document" ? documents : pages;

/** The terms of the pages, in their order; undefined where there are none. */
export async function termsOf(
  memory: TermsMemory,
  space: LexicalSpace,
  { table, pages }: { readonly table: Table; readonly pages: readonly PageKey[] },
): Promise<readonly (string | undefined)[]> {
  const rows = await memoryOf(memory, space).of(table);
  return readPages({ table, rows, name: termsColumn(space), idOf: rowIdIn(space), copy: String }, pages);
}

interface Asked {
  /** Undefined: the workspace has none in the pack. */
  readonly table: Table | undefined;
  readonly question: string;
  readonly pages: readonly PageKey[];
}

export async function readTerms(
  memory: TermsMemory,
  space: LexicalSpace,
  { table, question, pages }: Asked,
): Promise<TermsRead> {
  const terms = new Map<string, string>();
  if (table !== undefined && pages.length > 0) {
    const texts = await termsOf(memory, space, { table, pages });
    for (const [at, page] of pages.entries()) {
      const text = texts[at];
      if (text !== undefined) terms.set(rowKey(page), text);
    }
  }
  return { question: questionTerms(question), pages: terms };
}

export async function findTerms(
  memory: TermsMemory,
  space: LexicalSpace,
  { table, question, pages }: Asked,
): Promise<FoundTerms> {
  const terms = questionTerms(question);
  if (table === undefined || pages.length === 0) return { question: terms, pages: pages.map(() => undefined) };
  const others = terms.flatMap((term, at) => layerWritings(term).map((written) => ({ written, at })));
  const wanted = [...terms, ...others.map(({ written }) => written)];
  const found = findInTexts(wanted, await termsOf(memory, space, { table, pages }));
  if (others.length === 0) return { question: terms, pages: found };
  const asked = (term: number): number => others[term - terms.length]?.at ?? term;
  return { question: terms, pages: found.map((page) => page && { ...page, asked: page.asked.map(asked) }) };
}
