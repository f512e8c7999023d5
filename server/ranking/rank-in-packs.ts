import type { Domain } from "../domain/domain.ts";
import type { WorkspaceId } from "../domain/ids.ts";
import type { Packs } from "../domain/models/packs.ts";
import type { PackRanking } from "../domain/ports/pack-ranking.ts";
import {
  isAnyCondition,
  type PageHit,
  rowKey,
  type SearchScope,
  type VectorSearches,
  type WordConditions,
} from "../domain/ports/vectors.ts";
import type { QueryInSpace, SearchQuery } from "../domain/ports/worker.ts";
import { observePart } from "./observe-part.ts";
import type { KeptRanking } from "./answer/explain-pages.ts";
import { rankPages } from "./rank.ts";
import type { Gathered } from "./rerank/reading.ts";
import { byPage } from "./retrieve/candidates.ts";
import { meetingByText } from "./retrieve/text-conditions.ts";

interface Ranking {
  readonly query: SearchQuery;
  readonly scope: SearchScope;
  readonly signal: AbortSignal;
  /** Gets what the rankings are made of; undefined: nobody wants it. */
  readonly kept?: KeptRanking[] | undefined;
}

interface AskedPack {
  readonly pack: PackRanking;
  readonly without: SearchScope["without"];
}

/**
 * The pages that fit the query best, best first, by the packs that the workspace's datasets are indexed with. That is one
 * pack but for the time in which datasets change to another; then each is asked, and since scores of all packs mean the
 * same, their rankings become one. Where the scope asks for phrases that are on no page, their words are looked for instead.
 */
export async function rankInPacks(
  domain: Domain,
  { query, scope, signal, kept }: Ranking,
): Promise<readonly PageHit[]> {
  const searches = domain.vectors.searching();
  const embed = (pack: string, of: SearchQuery): Promise<readonly QueryInSpace[]> =>
    observePart(domain, "query", () => domain.worker.embedQuery({ ...of, pack }, signal));
  const queries = new Map<string, Promise<readonly QueryInSpace[]>>();
  /** Its failure is the search's where the pack is asked then. */
  async function prepare(packs: readonly string[]): Promise<void> {
    for (const id of packs) if (!queries.has(id)) queries.set(id, embed(id, query));
    await Promise.allSettled(queries.values());
  }
  // Ready before the packs are looked up, in most questions, so that one look is enough.
  await prepare(askedLast(domain.packs, scope.workspaceId));
  let asked = await packsToAsk(domain, scope);
  // Loading a pack takes time in which a dataset can change: the packs are looked up again until the query is ready for all.
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
    kept?.splice(0);
    const rankings = await Promise.all(
      asked.map(async ({ pack, without }) => {
        const within = { ...everywhere, ...(without && { without }), ...(conditions && { words: conditions }) };
        const keep = (gathered: Gathered): void => void kept?.push({ pack, gathered });
        const ranking = await rankPages(
          {
            ...domain,
            vectors: searches,
            pack,
            ...(kept && { keep }),
            // A picture would have to be embedded again.
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
  // What is on no page is not a phrase to go by: its words may be.
  const others = { ...words, phrases: [] };
  return rankBy(isAnyCondition(others) ? others : undefined);
}

interface Ranked {
  readonly ranking: readonly PageHit[];
  readonly scope: SearchScope;
}

/** Without the pages that vectors have found and whose words do not meet the conditions. */
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

async function packsToAsk({ metadata, packs }: Domain, { workspaceId }: SearchScope): Promise<readonly AskedPack[]> {
  const scopes = await metadata.packs.inWorkspace(workspaceId);
  const found = await Promise.all(scopes.map(async ({ pack, without }) => ({ pack: await packs.find(pack), without })));
  const readable = found.flatMap(({ pack, without }) => (pack === undefined ? [] : [{ pack, without }]));
  // Nothing will be found, but what is wrong with the query is said all the same.
  return readable.length > 0 ? readable : [{ pack: await packs.inUse(), without: [] }];
}

/** Workspaces of which it is remembered; some hundred bytes each. */
const maxWorkspaces = 10_000;

const lastAsked = new WeakMap<Packs, Map<WorkspaceId, readonly string[]>>();

/** The ids of the packs that this process has asked for the workspace last. By now they may be others. */
const askedLast = (packs: Packs, workspaceId: WorkspaceId): readonly string[] =>
  lastAsked.get(packs)?.get(workspaceId) ?? [];

function noteAsked(packs: Packs, workspaceId: WorkspaceId, ids: readonly string[]): void {
  const known = lastAsked.get(packs) ?? new Map<WorkspaceId, readonly string[]>();
  lastAsked.set(packs, known);
  if (known.size >= maxWorkspaces) known.clear();
  known.set(workspaceId, ids);
}

/** A row that changes its pack at this very moment may be in two rankings: its best score counts. */
function merge(rankings: readonly (readonly PageHit[])[]): readonly PageHit[] {
  const best = new Map<string, PageHit>();
  for (const hit of rankings.flat()) {
    const key = rowKey(hit);
    if ((best.get(key)?.score ?? -1) < hit.score) best.set(key, hit);
  }
  return [...best.values()].sort((one, other) => other.score - one.score || byPage(one, other));
}
