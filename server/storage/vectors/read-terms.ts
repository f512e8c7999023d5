import type { Table } from "@lancedb/lancedb";
import type { LexicalSpace, PageKey } from "../../domain/ports/vectors.ts";
import { rowIdIn } from "./filters.ts";
import { termsColumn } from "./layout.ts";
import { readPages } from "./read-column.ts";
import { createRowsInMemory, type RowsInMemory } from "./rows-in-memory.ts";

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
