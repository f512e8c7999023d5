import type { PageHit, SearchScope } from "../../server/domain/ports/vectors.ts";
import type { QueryInSpace } from "../../server/domain/ports/worker.ts";
import { candidatesFor } from "../../server/ranking/retrieve/candidates.ts";
import { rankPages } from "../../server/ranking/rank.ts";
import type { Stores } from "../../server/stores.ts";
import { between } from "../measuring/random.ts";
import { mean, percentile } from "../measuring/statistics.ts";
import { isDense, pagesPerDataset } from "../synthetic/library.ts";
import { limit, type Scope, wordsPerQuestion, type World } from "./world.ts";

/** The p50 of stores and peers in this process, in milliseconds. */
export interface Alone {
  /** Times by space of the pack. */
  readonly spaces: ReadonlyMap<string, number>;
  /** The time of words and text together, with their hits fused into one ranking. */
  readonly together: number;
  /** The CPU time of the same rankings. */
  readonly togetherCpu: number;
  readonly bruteForce: number;
  readonly fullText: number;
  /** The share of the best pages by brute force that the text space finds too, 0..1. */
  readonly recall: number;
}

const repetitions = 30;
/**
 * Milliseconds: the first searches fill caches in the background, which takes some seconds for 100,000 pages. The peers are
 * measured after that.
 */
const warmUpMs = 15_000;

export async function measureAlone(world: World, stores: Stores): Promise<Record<Scope, Alone>> {
  return {
    workspace: await measureScope(world, stores, "workspace"),
    "one dataset": await measureScope(world, stores, "one dataset"),
  };
}

async function measureScope(world: World, { vectors }: Stores, scope: Scope): Promise<Alone> {
  const { pack, textSpace, fullText } = world;
  const spaces = new Map<string, number[]>();
  const bruteForce: number[] = [];
  const fullTexts: number[] = [];
  const recalls: number[] = [];
  const together: number[] = [];
  const togetherCpu: number[] = [];
  const warmAt = performance.now() + warmUpMs;
  while (together.length < repetitions) {
    const area = pickArea(world, scope);
    const words = world.words.question(wordsPerQuestion);
    const counts = performance.now() >= warmAt;
    let found: readonly PageHit[] = [];
    const query = world.vectors.query(textSpace.dimensions);
    for (const space of pack.spaces) {
      const vector = space.name === textSpace.name ? query : world.vectors.query(isDense(space) ? space.dimensions : 1);
      const since = performance.now();
      const hits = isDense(space)
        ? await vectors.searchDense(space, vector, area.scope)
        : await vectors.searchLexical(space, words.join(" "), area.scope);
      if (counts) spaces.set(space.name, [...(spaces.get(space.name) ?? []), performance.now() - since]);
      if (space.name === textSpace.name) found = hits;
    }
    const asked = await timeTogether(world, { vectors }, [query, words.join(" ")], area.scope);
    if (!counts) continue;
    const beforeVectors = performance.now();
    const nearest = nearestPages(world, query, area);
    const beforeWords = performance.now();
    fullText.search(words, limit, area.from + 1, area.to);
    together.push(asked.wall);
    togetherCpu.push(asked.cpu);
    bruteForce.push(beforeWords - beforeVectors);
    fullTexts.push(performance.now() - beforeWords);
    const names = new Set(found.slice(0, limit).map(({ datasetId, page }) => `${datasetId}/${page}`));
    recalls.push(mean(nearest.map((name) => (names.has(name) ? 1 : 0))));
  }
  return {
    spaces: new Map(Array.from(spaces, ([name, times]) => [name, percentile(times, 0.5)])),
    together: percentile(together, 0.5),
    togetherCpu: mean(togetherCpu),
    bruteForce: percentile(bruteForce, 0.5),
    fullText: percentile(fullTexts, 0.5),
    recall: mean(recalls),
  };
}

/** Returns the milliseconds of a ranking for a question in words. */
async function timeTogether(
  { pack, textSpace }: World,
  { vectors }: Pick<Stores, "vectors">,
  [vector, text]: readonly [Float32Array, string],
  scope: SearchScope,
): Promise<{ readonly wall: number; readonly cpu: number }> {
  const parts = pack.spaces.flatMap(({ kind, name }): QueryInSpace[] => {
    if (kind === "lexical") return [{ space: name, kind, text }];
    return name === textSpace.name ? [{ space: name, kind, vectors: [vector] }] : [];
  });
  const [since, used] = [performance.now(), process.cpuUsage()];
  await rankPages({ pack, vectors }, parts, { ...scope, limit });
  const { user, system } = process.cpuUsage(used);
  return { wall: performance.now() - since, cpu: (user + system) / 1000 };
}

/** The scope of a search: for the service, and as indexes of pages in the peers, from 0, `to` excluded. */
interface Area {
  readonly scope: SearchScope;
  readonly from: number;
  readonly to: number;
}

function pickArea({ random, datasets, workspaceId }: World, scope: Scope): Area {
  const wanted = { workspaceId, limit: candidatesFor(limit) };
  if (scope === "workspace") {
    return { scope: { ...wanted, datasetIds: undefined }, from: 0, to: datasets.length * pagesPerDataset };
  }
  const index = between(random, 0, datasets.length - 1);
  const datasetIds = datasets.slice(index, index + 1);
  return { scope: { ...wanted, datasetIds }, from: index * pagesPerDataset, to: (index + 1) * pagesPerDataset };
}

/** Returns the pages with the nearest vectors, named as in the store. */
function nearestPages(
  { bruteForce, datasets, vectorsPerPage, textSpace }: World,
  query: Float32Array,
  { from, to }: Area,
): readonly string[] {
  const perPage = vectorsPerPage.get(textSpace.name) ?? 1;
  const places = bruteForce.nearest(query, limit * perPage, from * perPage, to * perPage);
  const pages = new Set(places.map((place) => Math.floor(place / perPage)));
  return [...pages]
    .slice(0, limit)
    .map((page) => `${datasets[Math.floor(page / pagesPerDataset)]}/${(page % pagesPerDataset) + 1}`);
}
