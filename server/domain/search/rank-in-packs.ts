import type { SearchQuery } from "./query.ts";
import type { Domain } from "../domain.ts";
import type { PackRanking } from "../ports/pack-ranking.ts";
import { type PageHit, rowKey, type SearchScope } from "../ports/vectors.ts";
import type { QueryInSpace } from "../ports/worker.ts";
import { observePart } from "./part.ts";
import { rankPages } from "./rank.ts";

interface Ranking {
  readonly query: SearchQuery;
  readonly scope: SearchScope;
  readonly signal: AbortSignal;
}

interface AskedPack {
  readonly pack: PackRanking;
  readonly without: SearchScope["without"];
}

/**
 * The pages that fit the query best, best first, by the packs that the workspace's datasets are indexed with. That is one
 * pack but for the time in which datasets change to another; then each is asked, and since scores of all packs mean the
 * same, their rankings become one.
 */
export async function rankInPacks(domain: Domain, { query, scope, signal }: Ranking): Promise<readonly PageHit[]> {
  const queries = new Map<string, readonly QueryInSpace[]>();
  let asked = await packsToAsk(domain, scope);
  // Loading a pack takes time in which a dataset can change: the packs are looked up again until the query is ready for all.
  while (asked.some(({ pack }) => !queries.has(pack.id))) {
    for (const { pack } of asked) {
      if (queries.has(pack.id)) continue;
      const inSpaces = await observePart(domain, "query", () =>
        domain.worker.embedQuery({ ...query, pack: pack.id }, signal),
      );
      queries.set(pack.id, inSpaces);
    }
    asked = await packsToAsk(domain, scope);
  }
  const rankings = await Promise.all(
    asked.map(({ pack, without }) =>
      rankPages({ ...domain, pack }, queries.get(pack.id) ?? [], {
        ...scope,
        ...(without && { without }),
      }),
    ),
  );
  const [only = []] = rankings;
  return rankings.length < 2 ? only : merge(rankings);
}

async function packsToAsk({ metadata, packs }: Domain, { workspaceId }: SearchScope): Promise<readonly AskedPack[]> {
  const scopes = await metadata.packs.inWorkspace(workspaceId);
  const found = await Promise.all(scopes.map(async ({ pack, without }) => ({ pack: await packs.find(pack), without })));
  const readable = found.flatMap(({ pack, without }) => (pack === undefined ? [] : [{ pack, without }]));
  // Nothing will be found, but what is wrong with the query is said all the same.
  return readable.length > 0 ? readable : [{ pack: await packs.inUse(), without: [] }];
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

function byPage(one: PageHit, other: PageHit): number {
  if (one.datasetId !== other.datasetId) return one.datasetId < other.datasetId ? -1 : 1;
  return one.page - other.page;
}
