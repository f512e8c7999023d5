import type { Table } from "@lancedb/lancedb";
import type { LexicalSpace, PageKey } from "../../../domain/ports/vectors.ts";
import { rowIdIn } from "../filters.ts";
import { termsColumn } from "../layout.ts";
import { readPages } from "./read-column.ts";
import { createRowsInMemory, type RowsInMemory } from "./rows-in-memory.ts";

/** Terms of pages that were read recently. */
export type TermsInMemory = RowsInMemory<string>;

/** Enough for some ten thousand pages of text. */
const maxCharactersInMemory = 32 * 2 ** 20;

export const createTermsInMemory = (): TermsInMemory =>
  createRowsInMemory({ maxBytes: maxCharactersInMemory, bytesOf: ({ length }) => length });

/**
 * The words of pages that a process keeps in memory; those of documents are separate, because their rows have the
 * numbers of pages.
 */
export interface TermsMemory {
  readonly pages: TermsInMemory;
  readonly documents: TermsInMemory;
}

/** The part of the memory for the space. */
export const memoryOf = ({ pages, documents }: TermsMemory, { unit }: LexicalSpace): TermsInMemory =>
  unit === "document" ? documents : pages;

/** The terms of the pages, in order; undefined if a page has none. */
export async function termsOf(
  memory: TermsMemory,
  space: LexicalSpace,
  { table, pages }: { readonly table: Table; readonly pages: readonly PageKey[] },
): Promise<readonly (string | undefined)[]> {
  const rows = await memoryOf(memory, space).of(table);
  return readPages({ table, rows, name: termsColumn(space), idOf: rowIdIn(space), copy: String }, pages);
}
