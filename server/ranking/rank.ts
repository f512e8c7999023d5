import type { TermsOnPage } from "./terms/find-in-texts.ts";
import type { PageHit, SearchScope } from "../domain/ports/vectors.ts";
import type { QueryInSpace } from "../domain/ports/worker.ts";
import { rankCandidates } from "./calibrate/ranking.ts";
import { observePart } from "./observe-part.ts";
import { type RankingCandidates, rerankCandidates } from "./rerank/reading.ts";
import { candidatesFor } from "./retrieve/candidates.ts";
import { findDocuments } from "./retrieve/documents.ts";
import { type Gatherer, gatherCandidates, partsIn } from "./retrieve/gather.ts";
import { findTerms } from "./retrieve/read-terms.ts";

interface Ranker extends Gatherer {
  /** Receives the candidates that the ranking is computed from, if it is to be explained. */
  readonly keep?: (gathered: RankingCandidates) => void;
}

/** The pages that match the query best by all spaces of the pack together, best first; scores from 0 to 1. */
export async function rankPages(
  ranker: Ranker,
  query: readonly QueryInSpace[],
  scope: SearchScope,
): Promise<readonly PageHit[]> {
  const gathered = await gatherAll(ranker, query, scope);
  ranker.keep?.(gathered);
  const { candidates, reading } = gathered;
  return observePart(ranker, "fusion", async () => rankCandidates(ranker.pack.fusion, candidates, reading));
}

export async function gatherAll(
  ranker: Ranker,
  query: readonly QueryInSpace[],
  scope: SearchScope,
): Promise<RankingCandidates> {
  const { pack, vectors } = ranker;
  const { reads } = pack;
  const wider = { ...scope, limit: candidatesFor(scope.limit) };
  const text = reads && partsIn(pack, query).lexical.find(({ space }) => space.name === reads.words.name)?.text;
  if (reads === undefined || text === undefined) {
    return { candidates: (await gatherCandidates(ranker, query, wider)).candidates, reading: undefined };
  }
  const documents = observePart(ranker, "documents", () => findDocuments(vectors, reads.documents, text, scope));
  const { candidates, targets } = await gatherCandidates(ranker, query, wider, documents);
  const { evidence } = await documents;
  const places = rerankCandidates(pack.fusion, candidates, { documents: evidence, most: maxRead });
  const read = places.flatMap((place) => candidates.pages[place] ?? []);
  const { question, pages: found } = await observePart(ranker, "reading", () =>
    findTerms(vectors, reads.words, { question: text, pages: read, workspaceId: scope.workspaceId }),
  );
  const pages: (TermsOnPage | undefined)[] = candidates.pages.map(() => undefined);
  for (const [at, place] of places.entries()) pages[place] = found[at];
  return { candidates, reading: { question, pages, documents: evidence, targets } };
}

/** Maximum number of pages that the second stage reads; some 20 µs each. */
const maxRead = 150;
