import type { Table } from "@lancedb/lancedb";
import type { LexicalSpace, PageKey } from "../../../domain/ports/vectors.ts";
import { rowIdIn } from "../filters.ts";
import { termsColumn } from "../layout.ts";
import { readPages } from "./read-column.ts";
import { createRowsInMemory, type RowsInMemory } from "./rows-in-memory.ts";

/** Cached terms of pages that were read recently. */
export type TermsInMemory = RowsInMemory<string>;

/** Maximum size of the cached terms; enough for about ten thousand pages of text. */
const maxCharactersInMemory = 32 * 2 ** 20;

export const createTermsInMemory = (): TermsInMemory =>
  createRowsInMemory({ maxBytes: maxCharactersInMemory, bytesOf: ({ length }) => length });

/**
 * The cached terms of a process. Those of documents are separate, because their rows have the same numbers as pages.
 */
export interface TermsMemory {
  readonly pages: TermsInMemory;
  readonly documents: TermsInMemory;
}

/** Returns the part of the cache for the space. */
export const memoryOf = ({ pages, documents }: TermsMemory, { unit }: LexicalSpace): TermsInMemory =>
  unit === "document" ? documents : pages;

/** Returns the terms of the pages, in order; undefined for a page without terms. */
export async function termsOf(
  memory: TermsMemory,
  space: LexicalSpace,
  { table, pages }: { readonly table: Table; readonly pages: readonly PageKey[] },
): Promise<readonly (string | undefined)[]> {
  const rows = await memoryOf(memory, space).of(table);
  return readPages({ table, rows, name: termsColumn(space), idOf: rowIdIn(space), copy: String }, pages);
}
