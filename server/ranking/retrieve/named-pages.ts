import { documentKey } from "../../domain/ports/pack-ranking.ts";
import type { DatasetId } from "../../domain/ids.ts";
import type { PageHit, PageKey, SearchScope } from "../../domain/ports/vectors.ts";
import { readNamedPages } from "../parse/named-pages.ts";
import type { FoundDocuments } from "./documents.ts";

export interface PageCounts {
  /** Returns the number of pages of each dataset. If undefined, page numbers in questions are ignored. */
  readonly pageCounts?: (datasetIds: readonly DatasetId[]) => Promise<ReadonlyMap<DatasetId, number>>;
}

interface Question {
  readonly text: string;
  readonly scope: Pick<SearchScope, "datasetIds">;
  /** The pages that the spaces have found. */
  readonly found: readonly PageHit[];
  /** The documents that the question names; undefined if they were not looked up. */
  readonly documents: Pick<FoundDocuments, "named"> | undefined;
}

/**
 * Maximum number of documents in which pages are named. If ten documents are called a report, "page 3 of the report" names no
 * page.
 */
const maxDocuments = 3;
/** Minimum score of a document's name, relative to the best score. */
const leastOfBest = 0.8;

/**
 * Returns the pages that a question names, in the one document that is searched or in the documents that the question names. In a
 * search of many documents, a page number alone says little, so it names no page.
 */
export async function findNamedPages({ pageCounts }: PageCounts, question: Question): Promise<readonly PageKey[]> {
  const ranges = readNamedPages(question.text);
  if (ranges.length === 0 || pageCounts === undefined) return [];
  const documents = documentsOf(question);
  if (documents.length > maxDocuments) return [];
  const counts = await pageCounts(documents.map(({ datasetId }) => datasetId));
  return documents.flatMap(({ datasetId, generation }) => {
    const count = counts.get(datasetId) ?? 0;
    const at = (number: number): number => (number < 0 ? count + 1 + number : number);
    const pages = ranges.flatMap(({ from, to }) => {
      const [first, last] = [Math.max(1, at(from)), Math.min(count, at(to))];
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
    });
    return [...new Set(pages)].map((page) => ({ datasetId, generation, page }));
  });
}

/** Returns the documents in which the question may name pages, each once. */
function documentsOf({ scope: { datasetIds = [] }, found, documents }: Question): readonly PageKey[] {
  const best = Math.max(0, ...(documents?.named ?? []).map(({ score }) => score));
  const rows =
    datasetIds.length === 1 ? found : (documents?.named ?? []).filter(({ score }) => score >= leastOfBest * best);
  return [...new Map(rows.map((row) => [documentKey(row), row])).values()];
}
