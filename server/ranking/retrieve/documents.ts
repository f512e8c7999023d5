import { documentKey } from "../../domain/ports/pack-ranking.ts";
import type { DatasetId } from "../../domain/ids.ts";
import type { VectorStore } from "../../domain/ports/vector-store.ts";
import { documentRows, type LexicalSpace, type PageHit, type SearchScope } from "../../domain/ports/vectors.ts";

/**
 * Scores of a whole document for the question: the BM25 score of each of its rows (`documentRows`), 0 if the row does not match.
 */
export interface DocumentEvidence {
  readonly name: number;
  readonly opening: number;
  readonly whole: number;
}

/** The evidence for the documents of a question's candidates. */
export interface KnownDocuments {
  /** Evidence by `documentKey`; empty if only one document is searched. */
  readonly documents: ReadonlyMap<string, DocumentEvidence>;
  /** Documents of many pages that the question names, by `documentKey`; undefined if there are none. */
  readonly targets?: ReadonlySet<string>;
}

/** The documents that were found for one question. */
export interface FoundDocuments {
  /** Evidence by `documentKey`. */
  readonly evidence: ReadonlyMap<string, DocumentEvidence>;
  /** The documents that match best, best first; empty if these are all documents that match. */
  readonly best: readonly DatasetId[];
  /** The rows of the names that occur in the question. */
  readonly named: readonly PageHit[];
}

/**
 * Maximum number of rows of documents, which have up to three each. The row of a name matches few words, so many other rows rank
 * above it.
 */
const maxRows = 1_000;
/** Maximum number of documents whose best pages become candidates. */
const maxBest = 10;
/**
 * Minimum score relative to the best document. If the question names few documents, others that only share a year with them are
 * not searched.
 */
const leastOfBest = 0.5;
/** The weight of each row in the score of a document. */
const shares: DocumentEvidence = { name: 0.75, opening: 0.25, whole: 0.5 };

/** Minimum BM25 score of a name that occurs in the question. A word that no other name has scores 8. */
const leastOfName = 5;

/**
 * Finds how well whole documents match a question. If only one document is searched, only its name matters, because the other
 * scores are the same for all its pages.
 */
export async function findDocuments(
  vectors: Pick<VectorStore, "searchLexical">,
  space: LexicalSpace,
  text: string,
  scope: SearchScope,
): Promise<FoundDocuments> {
  const [only, ...others] = scope.datasetIds ?? [];
  const isOne = only !== undefined && others.length === 0;
  // The weight of a word depends on the searched rows, and among the rows of one document no word is rare, so all documents are
  // searched. With statistics of the scope, the caller may not see other documents, so only the scope is searched.
  const asked = isOne && scope.statistics !== "scope" ? { ...scope, datasetIds: undefined } : scope;
  const rows = await vectors.searchLexical(space, text, { ...asked, limit: maxRows });
  const names = rows.filter(({ page, score }) => page === documentRows.name && score >= leastOfName);
  if (isOne) return { evidence: new Map(), best: [], named: names.filter(({ datasetId }) => datasetId === only) };
  const evidence = evidenceOf(rows);
  const best = Array.from(evidence.values())
    .map(({ datasetId, found: { name, opening, whole } }) => ({
      datasetId,
      score: shares.name * name + shares.opening * opening + shares.whole * whole,
    }))
    .toSorted((one, other) => other.score - one.score)
    .slice(0, maxBest)
    .filter(({ score }, _, all) => score >= leastOfBest * (all[0]?.score ?? 0));
  return {
    evidence: new Map(Array.from(evidence, ([key, { found }]) => [key, found])),
    // Otherwise the best pages of the workspace are already those of these documents.
    best: evidence.size > maxBest ? [...new Set(best.map(({ datasetId }) => datasetId))] : [],
    named: names,
  };
}

interface FoundDocument {
  readonly datasetId: DatasetId;
  readonly found: DocumentEvidence;
}

function evidenceOf(hits: readonly PageHit[]): ReadonlyMap<string, FoundDocument> {
  const documents = new Map<string, FoundDocument>();
  for (const hit of hits) {
    const key = documentKey(hit);
    const found = documents.get(key)?.found ?? { name: 0, opening: 0, whole: 0 };
    documents.set(key, { datasetId: hit.datasetId, found: { ...found, [partOf(hit.page)]: hit.score } });
  }
  return documents;
}

function partOf(row: number): keyof DocumentEvidence {
  if (row === documentRows.name) return "name";
  return row === documentRows.opening ? "opening" : "whole";
}
