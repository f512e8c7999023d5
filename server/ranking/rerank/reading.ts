import type { FoundTerms, WordsOnPages } from "../../domain/ports/question-words.ts";
import type { Candidates } from "../retrieve/candidates.ts";
import type { DocumentEvidence } from "../retrieve/documents.ts";

/** What a second stage has read for one question; `pages` by the places of the candidates. */
export interface Reading extends FoundTerms {
  /** By `documentKey`; empty where only one document is searched. */
  readonly documents: ReadonlyMap<string, DocumentEvidence>;
  /** Those of them that the question names and that have many pages, by `documentKey`; undefined: none. */
  readonly meant?: ReadonlySet<string>;
}

/** All that a ranking is made of. */
export interface Gathered {
  readonly candidates: Candidates;
  /** Undefined: the pack reads no pages, or the query has no words. */
  readonly reading?: Reading | undefined;
}

/** The same, to be explained. */
export interface Ranked extends Gathered {
  /** The words of the question, by the places of the candidates; undefined: they are not known, or there are none. */
  readonly words?: WordsOnPages | undefined;
}
