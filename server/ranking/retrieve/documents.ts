import { documentKey } from "../../domain/ports/pack-ranking.ts";
import type { DatasetId } from "../../domain/ids.ts";
import type { VectorStore } from "../../domain/ports/vector-store.ts";
import {
  documentRows,
  type LexicalSpace,
  type PageHit,
  type PageKey,
  type SearchScope,
} from "../../domain/ports/vectors.ts";

/** How well a document as such fits the question: BM25 of its rows (`documentRows`), 0 where they do not match. */
export interface DocumentEvidence {
  readonly name: number;
  readonly opening: number;
  readonly whole: number;
}

/** What a question knows of the documents of its candidates. */
export interface KnownDocuments {
  /** By `documentKey`; empty where only one document is searched. */
  readonly documents: ReadonlyMap<string, DocumentEvidence>;
  /** Those of them that the question names and that have many pages, by `documentKey`; undefined: none. */
  readonly meant?: ReadonlySet<string>;
}

/** What is known of documents for one question. */
export interface FoundDocuments {
  /** By `documentKey`. */
  readonly evidence: ReadonlyMap<string, DocumentEvidence>;
  /** Those that fit the question best, best first; none if no others do. */
  readonly best: readonly DatasetId[];
  /** The rows of the names that the question has. */
  readonly named: readonly PageKey[];
}

/** Rows of documents that are asked for: up to three each. A name's row matches few words, and comes after many others. */
const maxRows = 1_000;
/** Documents whose best pages become candidates. */
const maxBest = 10;
/** Of the score of the best one: where few are named, pages are looked for in these, and not in others that share a year with them. */
const leastOfBest = 0.5;
/** How much each row counts for which documents those are. */
const shares: DocumentEvidence = { name: 0.75, opening: 0.25, whole: 0.5 };

/** BM25 of a name that the question has words of which few others have: 8 for one that no other has. */
const leastOfName = 5;

/** Asks how well whole documents fit a question. Where one document is searched only its name is of interest: all of its pages share that. */
export async function findDocuments(
  vectors: Pick<VectorStore, "searchLexical">,
  space: LexicalSpace,
  text: string,
  scope: SearchScope,
): Promise<FoundDocuments> {
  const [only, ...others] = scope.datasetIds ?? [];
  const isOne = only !== undefined && others.length === 0;
  // How rare a word is, is told by what is asked: among the rows of one document none is. Others may not be for the caller's eyes.
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
    // Where that is all there are, their best pages are those of the workspace.
    best: evidence.size > maxBest ? [...new Set(best.map(({ datasetId }) => datasetId))] : [],
    named: names,
  };
}

interface OfDocument {
  readonly datasetId: DatasetId;
  readonly found: DocumentEvidence;
}

function evidenceOf(hits: readonly PageHit[]): ReadonlyMap<string, OfDocument> {
  const documents = new Map<string, OfDocument>();
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
