import type { PackInUse } from "../ports/pack.ts";
import type { PageHit, PageKey, SearchScope, SpaceRef, VectorStore } from "../ports/vectors.ts";
import type { QueryInSpace } from "../ports/worker.ts";

interface Ranker {
  readonly pack: PackInUse;
  readonly vectors: VectorStore;
}

/** The pages that fit the query best by all spaces of the pack together, best first; scores from 0 to 1. */
export async function rankPages(
  ranker: Ranker,
  query: readonly QueryInSpace[],
  scope: SearchScope,
): Promise<readonly PageHit[]> {
  return ranker.pack.fuse(await gatherHits(ranker, query, scope));
}

/**
 * By space, the hits that the pack wants for `scope.limit` results. A page that another space found is added to the hits of
 * every dense space with its exact score there, unless it has no vectors in it.
 */
export async function gatherHits(
  { pack, vectors }: Ranker,
  query: readonly QueryInSpace[],
  scope: SearchScope,
): Promise<ReadonlyMap<string, readonly PageHit[]>> {
  const candidates = { ...scope, limit: pack.candidates(scope.limit) };
  const hits = await Promise.all(query.map((part) => searchSpace(pack, vectors, part, candidates)));
  const pages = new Map(hits.flat().map((hit) => [keyOf(hit), hit]));
  const complete = await Promise.all(
    query.map(async (part, index) => {
      const inSpace = query.flatMap(({ space }, other) => (space === part.space ? (hits[other] ?? []) : []));
      return [...(hits[index] ?? []), ...(await scoreOthers({ pack, vectors }, part, inSpace, pages, scope))];
    }),
  );
  const bySpace = new Map<string, readonly PageHit[]>();
  for (const [index, { space }] of query.entries()) {
    bySpace.set(space, bestOfEach([...(bySpace.get(space) ?? []), ...(complete[index] ?? [])]));
  }
  return bySpace;
}

/** One hit per page: a query may be asked in a space in several ways, and a page counts by the one that fits it best. */
function bestOfEach(hits: readonly PageHit[]): readonly PageHit[] {
  const best = new Map<string, PageHit>();
  for (const hit of hits) if (hit.score > (best.get(keyOf(hit))?.score ?? -Infinity)) best.set(keyOf(hit), hit);
  return [...best.values()].toSorted((a, b) => b.score - a.score);
}

/** What the pages that a dense space did not find itself score in it. */
async function scoreOthers(
  { pack, vectors }: Ranker,
  query: QueryInSpace,
  inSpace: readonly PageHit[],
  pages: ReadonlyMap<string, PageKey>,
  { workspaceId }: SearchScope,
): Promise<readonly PageHit[]> {
  const space = pack.spaces.find(({ name }) => name === query.space);
  const known = new Set(inSpace.map(keyOf));
  const others = [...pages].filter(([key]) => !known.has(key)).map(([, page]) => page);
  if (space?.kind !== "dense" || query.kind !== "dense" || others.length === 0) return [];
  return vectors.scorePages(space, query.vectors, others, workspaceId);
}

const keyOf = ({ datasetId, page }: PageKey): string => `${datasetId}/${page}`;

async function searchSpace(
  pack: PackInUse,
  vectors: VectorStore,
  query: QueryInSpace,
  scope: SearchScope,
): Promise<readonly PageHit[]> {
  const space = pack.spaces.find(({ name }) => name === query.space);
  if (space?.kind === "dense" && space.firstPass === "none") return [];
  if (space?.kind === "dense" && query.kind === "dense") return vectors.searchDense(space, query.vectors, scope);
  if (space?.kind === "lexical" && query.kind === "lexical") return vectors.searchLexical(space, query.text, scope);
  throw mismatch(pack.id, query, space);
}

function mismatch(pack: string, query: QueryInSpace, space: SpaceRef | undefined): Error {
  return new Error(
    `pack ${pack}: a ${query.kind} query for the space ${query.space}, which is ${space?.kind ?? "missing"}`,
  );
}
