import type { Table } from "@lancedb/lancedb";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { SpaceRef, VectorSearches } from "../../domain/ports/vectors.ts";
import type { CodedMemory } from "./dense/coded-search.ts";
import { scorePages, searchDense } from "./dense/search.ts";
import { loadLance } from "./lance.ts";
import { pagesMeeting } from "./lexical/conditions.ts";
import { searchLexical } from "./lexical/search.ts";
import { vocabularyOf, type WordMemory } from "./lexical/vocabulary.ts";
import { termsOf } from "./rows/read-terms.ts";

/** Calls `task` with the table of a workspace in the pack, or with undefined if there is none. */
type ReadTable = <Result>(
  space: Pick<SpaceRef, "pack">,
  workspaceId: WorkspaceId,
  task: (table: Table | undefined) => Promise<Result>,
) => Promise<Result>;

interface Memory extends CodedMemory {
  readonly words: WordMemory;
}

/** Searches in the tables that `read` opens. */
export function searchesIn(read: ReadTable, { codes, words }: Memory): VectorSearches {
  return {
    searchDense(space, query, scope, also) {
      unwatched(also);
      return read(space, scope.workspaceId, async (table) =>
        table === undefined ? [] : searchDense({ table, codes }, space, query, scope, also),
      );
    },
    scorePages: (space, query, pages, workspaceId) =>
      read(space, workspaceId, async (table) =>
        table === undefined ? [] : scorePages({ table, codes }, space, query, pages),
      ),
    searchLexical(space, text, scope, also) {
      unwatched(also);
      return read(space, scope.workspaceId, async (table) =>
        table === undefined ? [] : searchLexical({ table, ...words }, space, text, scope, also),
      );
    },
    meeting: (space, conditions, pages, workspaceId) =>
      read(space, workspaceId, (table) => pagesMeeting(words.terms, space, { table, pages, conditions })),
    termsOf: (space, pages, workspaceId) =>
      read(space, workspaceId, async (table) =>
        table === undefined ? pages.map(() => undefined) : termsOf(words.terms, space, { table, pages }),
      ),
    hasWord: (space, word, searched) =>
      read(
        space,
        searched.workspaceId,
        async (table) =>
          table !== undefined && vocabularyOf(await loadLance(), { table, space, memory: words }, searched).has(word),
      ),
  };
}

/** Marks a promise as handled, because it may reject before it is awaited, and may never be awaited. */
function unwatched(promise: Promise<unknown> | undefined): void {
  promise?.catch(() => undefined);
}
