import { setTimeout as sleep } from "node:timers/promises";
import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import { matches } from "../../server/domain/filters/filter.ts";
import { readFilter } from "../../server/domain/filters/read.ts";
import type { DatasetId } from "../../server/domain/ids.ts";
import type { LexicalSpace, PageHit, SearchScope } from "../../server/domain/ports/vectors.ts";
import type { QueryInSpace } from "../../server/domain/ports/worker.ts";
import { candidatesFor } from "../../server/ranking/retrieve/candidates.ts";
import { rankPages } from "../../server/ranking/rank.ts";
import { resolveScope } from "../../server/ranking/parse/scope.ts";
import type { Stores } from "../../server/stores.ts";
import type { Report } from "../measuring/report.ts";
import { mean, percentile } from "../measuring/statistics.ts";
import { limit, wordsPerQuestion, type World } from "../search/world.ts";
import { shares } from "./collection.ts";

const rounds = 20;
/** Searches before the measurement, with pauses in which the store fills its caches. */
const warmUps = 8;
const pauseMs = 1_000;
/** Searches whose results are compared with those of all pages. */
const compared = 5;
const maxTimes = 2;

interface Kind {
  readonly name: string;
  readonly scope: () => Promise<SearchScope>;
  /** The datasets that pass the filter; undefined if all do. */
  readonly passing: ReadonlySet<DatasetId> | undefined;
}

/** Measures rankings with filters that parts of the datasets pass, alternating with rankings without filters. */
export async function measureSearches(
  world: World,
  { metadata, vectors }: Pick<Stores, "metadata" | "vectors">,
  datasets: readonly Dataset[],
  report: Report,
): Promise<void> {
  const { pack, workspaceId } = world;
  const everywhere: SearchScope = { workspaceId, datasetIds: undefined, limit };
  const kinds: readonly Kind[] = [
    { name: "none", scope: async () => everywhere, passing: undefined },
    ...shares.map(([name, json]): Kind => {
      const filter = readFilter(json);
      const domain = { metadata, clock: Date.now };
      const scope = async () => ({
        ...everywhere,
        ...(await resolveScope(domain, { workspaceId }, { datasetIds: [], filter, fileExts: [] })),
      });
      const passing = datasets.filter((dataset) => matches(filter, dataset.metadata)).map(({ id }) => id);
      return { name, scope, passing: new Set(passing) };
    }),
  ];
  const ask = async (query: readonly QueryInSpace[], { scope }: Kind): Promise<number> => {
    const since = performance.now();
    await rankPages({ pack, vectors }, query, await scope());
    return performance.now() - since;
  };
  for (let at = 0; at < warmUps; at++) {
    for (const kind of kinds) await ask(questionOf(world), kind);
    await sleep(pauseMs);
  }
  const times = new Map<string, number[]>(kinds.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const query = questionOf(world);
    for (const kind of kinds) times.get(kind.name)?.push(await ask(query, kind));
  }
  const recalls = await recallsOf(world, vectors, datasets, kinds);
  const p50 = (name: string): number => percentile(times.get(name) ?? [], 0.5);
  const rows = kinds.map(({ name }) => ({
    filter: name,
    "p50 ms": p50(name),
    "p90 ms": percentile(times.get(name) ?? [], 0.9),
    "times none": p50(name) / p50("none"),
    "recall of words": mean(recalls.get(name)?.words ?? []),
    "recall of vectors": mean(recalls.get(name)?.vectors ?? []),
  }));
  report.table(`rankings in ${datasets.length} datasets of a page each, ${rounds} of each, by turns`, rows);
  for (const { name } of kinds.slice(1)) {
    report.bar(`search with a filter that leaves ${name}`, p50(name) / p50("none"), maxTimes, "times");
    const { words = [], vectors: byVectors = [] } = recalls.get(name) ?? {};
    const missedWithout = 1 - mean(recalls.get("none")?.vectors ?? []);
    report.bar(`missed by words with a filter that leaves ${name}`, 1 - mean(words), 0, "of the best");
    report.bar(
      `missed by vectors with a filter that leaves ${name}`,
      1 - mean(byVectors),
      missedWithout,
      "of the best",
    );
  }
}

interface Recalls {
  readonly words: number[];
  readonly vectors: number[];
}

/** Returns the share of the best pages that is found. Word hits are compared by score, because pages can share one. */
async function recallsOf(
  world: World,
  store: Stores["vectors"],
  datasets: readonly Dataset[],
  kinds: readonly Kind[],
): Promise<ReadonlyMap<string, Recalls>> {
  const { pack, workspaceId, textSpace } = world;
  const words = pack.spaces.find((space): space is LexicalSpace => space.kind === "lexical");
  const pages = datasets.map(({ id: datasetId }) => ({ datasetId, page: 1, generation: "" }));
  const everything = { workspaceId, datasetIds: undefined, limit: datasets.length };
  const recalls = new Map<string, Recalls>(kinds.map(({ name }) => [name, { words: [], vectors: [] }]));
  for (let at = 0; at < compared; at++) {
    for (const part of questionOf(world)) {
      const [vector] = part.kind === "dense" ? part.vectors : [];
      const search = (scope: SearchScope): Promise<readonly PageHit[]> => {
        if (vector !== undefined) return store.searchDense(textSpace, vector, scope);
        return words === undefined || part.kind !== "lexical"
          ? Promise.resolve([])
          : store.searchLexical(words, part.text, scope);
      };
      const scored =
        vector === undefined ? await search(everything) : await store.scorePages(textSpace, vector, pages, workspaceId);
      const all = scored.toSorted((one, other) => other.score - one.score);
      for (const { name, scope, passing } of kinds) {
        const isPassing = ({ datasetId }: PageHit): boolean => passing?.has(datasetId) ?? true;
        const best = all.filter(isPassing).slice(0, limit);
        const found = (await search({ ...(await scope()), limit: candidatesFor(limit) })).slice(0, limit);
        const least = best.at(-1)?.score ?? 0;
        const right = found.filter((hit) => isPassing(hit) && hit.score >= least - tolerance).length;
        const recall = best.length === 0 ? 1 : right / best.length;
        recalls.get(name)?.[vector === undefined ? "words" : "vectors"].push(recall);
      }
    }
  }
  return recalls;
}

/** The difference that scores of the same page may have. */
const tolerance = 1e-4;

function questionOf({ pack, words, vectors, textSpace }: World): readonly QueryInSpace[] {
  const text = words.question(wordsPerQuestion).join(" ");
  return pack.spaces.flatMap(({ kind, name }): QueryInSpace[] => {
    if (kind === "lexical") return [{ space: name, kind, text }];
    return name === textSpace.name ? [{ space: name, kind, vectors: [vectors.query(textSpace.dimensions)] }] : [];
  });
}
