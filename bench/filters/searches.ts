import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import { matches } from "../../server/domain/filters/matches.ts";
import { readFilter } from "../../server/domain/filters/read.ts";
import type { PageHit, SearchScope } from "../../server/domain/ports/vectors.ts";
import type { QueryInSpace } from "../../server/domain/ports/worker.ts";
import { rankPages } from "../../server/domain/search/rank.ts";
import { resolveScope } from "../../server/domain/search/scope.ts";
import { within } from "../../server/domain/search/within.ts";
import type { Stores } from "../../server/stores.ts";
import type { Report } from "../measuring/report.ts";
import { mean, percentile } from "../measuring/statistics.ts";
import { limit, wordsPerQuestion, type World } from "../search/world.ts";
import { shares } from "./collection.ts";

const rounds = 20;
const warmUps = 3;
/** Searches whose results are compared with those among datasets that are named one by one. */
const compared = 3;
const maxTimes = 2;

/** Rankings with filters that leave parts of the datasets, beside those without. */
export async function measureSearches(
  world: World,
  { metadata, vectors }: Pick<Stores, "metadata" | "vectors">,
  datasets: readonly Dataset[],
  report: Report,
): Promise<void> {
  const { pack, workspaceId } = world;
  const questions = Array.from({ length: warmUps + rounds }, () => questionOf(world));
  const everywhere: SearchScope = { workspaceId, datasetIds: undefined, limit };
  const without = await time(questions, (query) => rankPages({ pack, vectors }, query, everywhere));
  const rows = [{ filter: "none", "p50 ms": percentile(without, 0.5), "p90 ms": percentile(without, 0.9), recall: 1 }];
  for (const [share, json] of shares) {
    const filter = readFilter(json);
    const domain = { metadata, clock: Date.now };
    const rank = async (query: readonly QueryInSpace[]): Promise<readonly PageHit[]> => {
      const { datasetIds, pass } = await resolveScope(domain, { workspaceId }, { datasetIds: [], filter });
      const searched = pass === undefined ? vectors : within(vectors, pass);
      return rankPages({ pack, vectors: searched }, query, { ...everywhere, datasetIds });
    };
    const times = await time(questions, rank);
    const named = datasets.filter((dataset) => matches(filter, dataset.metadata)).map(({ id }) => id);
    const recalls: number[] = [];
    for (const query of questions.slice(0, compared)) {
      const wanted = await rankPages({ pack, vectors }, query, { ...everywhere, datasetIds: named });
      const found = new Set((await rank(query)).slice(0, limit).map(({ datasetId }) => datasetId));
      const first = wanted.slice(0, limit);
      recalls.push(first.length === 0 ? 1 : mean(first.map(({ datasetId }) => (found.has(datasetId) ? 1 : 0))));
    }
    const p50 = percentile(times, 0.5);
    rows.push({ filter: share, "p50 ms": p50, "p90 ms": percentile(times, 0.9), recall: mean(recalls) });
    report.bar(`search with a filter that leaves ${share}`, p50, maxTimes * percentile(without, 0.5), "ms");
  }
  report.table(`rankings in ${datasets.length} datasets of a page each, ${rounds} of each, one after another`, rows);
}

function questionOf({ pack, words, vectors, textSpace }: World): readonly QueryInSpace[] {
  const text = words.question(wordsPerQuestion).join(" ");
  return pack.spaces.flatMap(({ kind, name }): QueryInSpace[] => {
    if (kind === "lexical") return [{ space: name, kind, text }];
    return name === textSpace.name ? [{ space: name, kind, vectors: [vectors.query(textSpace.dimensions)] }] : [];
  });
}

async function time(
  questions: readonly (readonly QueryInSpace[])[],
  ask: (query: readonly QueryInSpace[]) => Promise<unknown>,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (const query of questions) {
    const since = performance.now();
    await ask(query);
    times.push(performance.now() - since);
  }
  return times.slice(warmUps);
}
