import type { TermsOnPage } from "./terms/find-in-texts.ts";
import {
  isAnyCondition,
  type PageHit,
  rowKey,
  type SearchScope,
  type VectorSearches,
  type WordConditions,
} from "../domain/ports/vectors.ts";
import type { QueryInSpace, SearchQuery } from "../domain/ports/worker.ts";
import { rankCandidates } from "./calibrate/ranking.ts";
import { observePart } from "./observe-part.ts";
import { findTerms, type RankingCandidates, rerankCandidates } from "./rerank/reading.ts";
import { byPage, candidatesFor } from "./retrieve/candidates.ts";
import { findDocuments } from "./retrieve/documents.ts";
import { gatherCandidates, type Gatherer, partsIn } from "./retrieve/gather.ts";
import type { Domain } from "../domain/domain.ts";
import type { DatasetId, WorkspaceId } from "../domain/ids.ts";
import type { Packs } from "../domain/models/packs.ts";
import type { PackRanking } from "../domain/ports/pack-ranking.ts";
import type { RankingInput } from "./answer/explain-pages.ts";
import { meetingByText } from "./retrieve/text-conditions.ts";

interface RankingRequest {
  readonly query: SearchQuery;
  readonly scope: SearchScope;
  readonly signal: AbortSignal;
  /** Receives the candidates that the rankings are computed from; undefined if they are not needed. */
  readonly inputs?: RankingInput[] | undefined;
}

interface QueriedPack {
  readonly pack: PackRanking;
  readonly without: SearchScope["without"];
}

/**
 * Returns the pages that match the query best, best first, by the packs with which the workspace's datasets are indexed. That is
 * one pack, except while datasets are moved to another. Then each pack is queried and the rankings are merged, since the scores
 * of all packs are comparable. If no page has the phrases of the scope, their words are searched instead.
 */
export async function rankInPacks(
  domain: Domain,
  { query, scope, signal, inputs }: RankingRequest,
): Promise<readonly PageHit[]> {
  const searches = domain.vectors.searching();
  const embed = (pack: string, of: SearchQuery): Promise<readonly QueryInSpace[]> =>
    observePart(domain, "query", () => domain.worker.embedQuery({ ...of, pack }, signal));
  const queries = new Map<string, Promise<readonly QueryInSpace[]>>();
  /** Starts embedding the query for the packs. A failure fails the search only if the pack is then queried. */
  async function prepare(packs: readonly string[]): Promise<void> {
    for (const id of packs) if (!queries.has(id)) queries.set(id, embed(id, query));
    await Promise.allSettled(queries.values());
  }
  // For most questions the query is ready before the packs are looked up, so that one look-up is enough.
  await prepare(askedLast(domain.packs, scope.workspaceId));
  let asked = await packsToAsk(domain, scope);
  // A dataset can move to another pack while a pack is loaded, so the packs are looked up until the query is ready for all of
  // them.
  while (asked.some(({ pack }) => !queries.has(pack.id))) {
    await prepare(asked.map(({ pack }) => pack.id));
    asked = await packsToAsk(domain, scope);
  }
  noteAsked(
    domain.packs,
    scope.workspaceId,
    asked.map(({ pack }) => pack.id),
  );
  const { words, ...everywhere } = scope;
  const rankBy = async (conditions: WordConditions | undefined): Promise<readonly PageHit[]> => {
    inputs?.splice(0);
    const rankings = await Promise.all(
      asked.map(async ({ pack, without }) => {
        const within = { ...everywhere, ...(without && { without }), ...(conditions && { words: conditions }) };
        const keep = (gathered: RankingCandidates): void => void inputs?.push({ pack, gathered });
        const ranking = await rankPages(
          {
            ...domain,
            vectors: searches,
            pack,
            pageCounts: (ids) => pageCounts(domain, scope.workspaceId, ids),
            ...(inputs && { keep }),
            // A query with a picture is not embedded again, since that would include its picture.
            ...(query.image === undefined && { embed: (text: string) => embed(pack.id, { text }) }),
          },
          (await queries.get(pack.id)) ?? [],
          within,
        );
        return conditions === undefined
          ? ranking
          : meeting({ ...domain, vectors: searches }, pack, conditions, { ranking, scope });
      }),
    );
    const [only = []] = rankings;
    return rankings.length < 2 ? only : merge(rankings);
  };
  if (words === undefined || !isAnyCondition(words)) return rankBy(undefined);
  const found = await rankBy(words);
  if (found.length > 0 || words.phrases.length === 0) return found;
  // No page has the phrases, but pages may have the words of the phrases.
  const others = { ...words, phrases: [] };
  return rankBy(isAnyCondition(others) ? others : undefined);
}

async function pageCounts(
  { metadata, clock }: Domain,
  workspaceId: WorkspaceId,
  ids: readonly DatasetId[],
): Promise<ReadonlyMap<DatasetId, number>> {
  const datasets = await metadata.datasets.getMany(workspaceId, ids, clock());
  return new Map(datasets.map(({ id, itemCount }) => [id, itemCount]));
}

interface Ranked {
  readonly ranking: readonly PageHit[];
  readonly scope: SearchScope;
}

/** Removes pages that were found by vectors but whose words do not meet the conditions. */
async function meeting(
  { vectors, metadata }: Pick<Domain, "metadata"> & { readonly vectors: VectorSearches },
  { spaces }: PackRanking,
  words: WordConditions,
  { ranking, scope }: Ranked,
): Promise<readonly PageHit[]> {
  const space = spaces.find(({ kind }) => kind === "lexical");
  if (space?.kind !== "lexical") return meetingByText(metadata.pages, words, ranking);
  const kept = new Set((await vectors.meeting(space, words, ranking, scope.workspaceId)).map(rowKey));
  return ranking.filter((hit) => kept.has(rowKey(hit)));
}

async function packsToAsk({ metadata, packs }: Domain, { workspaceId }: SearchScope): Promise<readonly QueriedPack[]> {
  const scopes = await metadata.packs.inWorkspace(workspaceId);
  const found = await Promise.all(scopes.map(async ({ pack, without }) => ({ pack: await packs.find(pack), without })));
  const readable = found.flatMap(({ pack, without }) => (pack === undefined ? [] : [{ pack, without }]));
  // The search will find nothing, but it still reports an invalid query.
  return readable.length > 0 ? readable : [{ pack: await packs.inUse(), without: [] }];
}

/** Maximum number of workspaces whose packs are kept in memory, at some hundred bytes each. */
const maxWorkspaces = 10_000;

const lastAsked = new WeakMap<Packs, Map<WorkspaceId, readonly string[]>>();

/** Returns the ids of the packs that this process last queried for the workspace. The packs may have changed since. */
const askedLast = (packs: Packs, workspaceId: WorkspaceId): readonly string[] =>
  lastAsked.get(packs)?.get(workspaceId) ?? [];

function noteAsked(packs: Packs, workspaceId: WorkspaceId, ids: readonly string[]): void {
  const known = lastAsked.get(packs) ?? new Map<WorkspaceId, readonly string[]>();
  lastAsked.set(packs, known);
  if (known.size >= maxWorkspaces) known.clear();
  known.set(workspaceId, ids);
}

/** Merges rankings. A row whose dataset is being moved to another pack may be in two rankings; its higher score counts. */
function merge(rankings: readonly (readonly PageHit[])[]): readonly PageHit[] {
  const best = new Map<string, PageHit>();
  for (const hit of rankings.flat()) {
    const key = rowKey(hit);
    if ((best.get(key)?.score ?? -1) < hit.score) best.set(key, hit);
  }
  return [...best.values()].sort((one, other) => other.score - one.score || byPage(one, other));
}

interface Ranker extends Gatherer {
  /** Receives the candidates from which the ranking is computed, if it is to be explained. */
  readonly keep?: (gathered: RankingCandidates) => void;
}

/** Returns the pages that match the query best by all spaces of the pack together, best first, with scores from 0 to 1. */
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

/** Maximum number of pages that the second stage reads, at some 20 µs each. */
const maxRead = 150;
