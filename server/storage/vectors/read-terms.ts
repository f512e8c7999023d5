import type { Table } from "@lancedb/lancedb";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { FoundTerms, TermsRead } from "../../domain/ports/question-words.ts";
import { type LexicalSpace, type PageKey, rowKey } from "../../domain/ports/vectors.ts";
import { layerWritings } from "../../ranking/terms/layer-writings.ts";
import { retryVanished } from "./conflicts.ts";
import { findInTexts } from "../../ranking/terms/find-in-texts.ts";
import type { KeptColumn } from "./kept-column.ts";
import { readPages } from "./read-column.ts";
import type { RowFiller } from "./row-filler.ts";
import { createRowsInMemory, type RowsInMemory } from "./rows-in-memory.ts";
import type { PlaceOnDisk } from "./rows-on-disk.ts";
import type { Tables } from "./tables.ts";
import { questionTerms } from "../../ranking/terms/terms.ts";

/** Terms of pages that were read lately. */
export type TermsInMemory = RowsInMemory<string>;

/** Some ten thousand pages of text. */
const maxCharactersInMemory = 32 * 2 ** 20;

export const createTermsInMemory = (): TermsInMemory =>
  createRowsInMemory({ maxBytes: maxCharactersInMemory, bytesOf: ({ length }) => length });

/** What a process remembers of the words of pages. */
export interface TermsMemory {
  readonly terms: TermsInMemory;
  readonly disk: PlaceOnDisk | undefined;
  readonly filler: RowFiller;
}

interface Asked {
  readonly question: string;
  readonly pages: readonly PageKey[];
  readonly workspaceId: WorkspaceId;
}

interface InTable extends Pick<Asked, "pages" | "workspaceId"> {
  readonly table: Table;
}

/** The terms of the pages, in their order; undefined where the workspace has no such row in the table. */
export async function termsOf(
  { terms: memory, disk, filler }: TermsMemory,
  { table, workspaceId, pages }: InTable,
): Promise<readonly (string | undefined)[]> {
  const rows = await memory.of(table);
  const column: KeptColumn<string> = {
    table,
    workspaceId,
    rows,
    name: "terms",
    copy: String,
    disk: disk && {
      ...disk.of(table),
      encode: (value) => Buffer.from(value),
      decode: (bytes) => Buffer.from(bytes).toString(),
      onMiss: filler.onMiss,
    },
  };
  return readPages(column, pages);
}

export async function readTerms(
  { tables, ...memory }: TermsMemory & { readonly tables: Pick<Tables, "find"> },
  space: LexicalSpace,
  { question, pages, workspaceId }: Asked,
): Promise<TermsRead> {
  const table = await tables.find(space);
  const terms = new Map<string, string>();
  if (table !== undefined && pages.length > 0) {
    const texts = await retryVanished(() => termsOf(memory, { table, workspaceId, pages }));
    for (const [at, page] of pages.entries()) {
      const text = texts[at];
      if (text !== undefined) terms.set(rowKey(page), text);
    }
  }
  return { question: questionTerms(question), pages: terms };
}

export async function findTerms(
  { tables, ...memory }: TermsMemory & { readonly tables: Pick<Tables, "find"> },
  space: LexicalSpace,
  { question, pages, workspaceId }: Asked,
): Promise<FoundTerms> {
  const terms = questionTerms(question);
  const table = await tables.find(space);
  if (table === undefined || pages.length === 0) return { question: terms, pages: pages.map(() => undefined) };
  const others = terms.flatMap((term, at) => layerWritings(term).map((written) => ({ written, at })));
  const wanted = [...terms, ...others.map(({ written }) => written)];
  const texts = await retryVanished(() => termsOf(memory, { table, workspaceId, pages }));
  const found = findInTexts(wanted, texts);
  if (others.length === 0) return { question: terms, pages: found };
  const asked = (term: number): number => others[term - terms.length]?.at ?? term;
  return { question: terms, pages: found.map((page) => page && { ...page, asked: page.asked.map(asked) }) };
}
