import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DatasetId, newDatasetId, newWorkspaceId, type WorkspaceId } from "../../server/domain/ids.ts";
import type { ComputedPage, Features } from "../../server/domain/ports/features.ts";
import type { VectorStore } from "../../server/domain/ports/vector-store.ts";
import type { LoadedPack } from "../../server/embedding/pack.ts";
import { gatherAll } from "../../server/ranking/rank.ts";
import type { RankingCandidates } from "../../server/ranking/rerank/reading.ts";
import type { Candidates } from "../../server/ranking/retrieve/candidates.ts";
import { featureCodec } from "../../server/storage/features/codec.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { openLanceVectors } from "../../server/storage/vectors/open.ts";
import type { EvaluationSet } from "./sets.ts";

/** A set indexed in a vector store. Each document is a page of one dataset. */
interface IndexedSet {
  search(question: string): Promise<RankingCandidates>;
}

/** The number of measured results. */
const depth = 10;
const batch = 256;

/** Embeds the documents as the service embeds pages, and stores them in the same way. */
export async function indexSet(pack: LoadedPack, vectors: VectorStore, set: EvaluationSet): Promise<IndexedSet> {
  const [workspaceId, datasetId] = [newWorkspaceId(), newDatasetId()];
  for (let from = 0; from < set.documents.length; from += batch) {
    const texts = set.documents.slice(from, from + batch);
    await putPages(pack, vectors, { workspaceId, datasetId, from, texts });
  }
  await vectors.maintain();
  const share = sharedVectors();
  return {
    async search(question) {
      const query = await pack.embedQuery({ text: question });
      const scope = { workspaceId, datasetIds: [datasetId], limit: depth };
      const { candidates, reading } = await gatherAll({ pack, vectors }, query, scope);
      return { candidates: share(candidates), reading };
    },
  };
}

/** Makes candidates of many questions share the vector of a page, so that a set fits into memory. */
function sharedVectors(): (candidates: Candidates) => Candidates {
  const known = new Map<string, Float32Array>();
  function shared(key: string, vector: Float32Array | undefined): Float32Array | undefined {
    if (vector === undefined) return undefined;
    const first = known.get(key) ?? vector;
    known.set(key, first);
    return first;
  }
  return ({ spaces, ...others }) => ({
    ...others,
    spaces: new Map(
      Array.from(spaces, ([name, { count, scores, vectorOf }]) => {
        const vectors = others.pages.map(({ page }, place) => shared(`${name}/${page}`, vectorOf(place)));
        return [name, { count, scores, vectorOf: (place: number) => vectors[place] }];
      }),
    ),
  });
}

/** Pages of a dataset with their words. */
export interface Pages {
  readonly workspaceId: WorkspaceId;
  readonly datasetId: DatasetId;
  /** The index of the first text; its page number is one higher. */
  readonly from: number;
  readonly texts: readonly string[];
}

/** Embeds and stores pages. Returns their features. */
export async function putPages(pack: LoadedPack, vectors: VectorStore, pages: Pages): Promise<Features> {
  const { workspaceId, datasetId, from, texts } = pages;
  const computed: ComputedPage[] = [];
  for (const [at, words] of texts.entries()) {
    computed.push({ page: from + at + 1, spaces: await pack.embedPage({ words, picture: undefined }) });
  }
  const index = { workspaceId, datasetId, generation: "" };
  const features = featureCodec.make(pack.spaces, computed, index);
  await vectors.put(pack, features, index);
  return features;
}

/** Calls `use` with an empty temporary index. */
export async function withOwnIndex<Result>(use: (vectors: VectorStore) => Promise<Result>): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-eval-"));
  const metadata = await openMetadata({ url: undefined, dataDir });
  const vectors = await openLanceVectors({ url: join(dataDir, "vectors"), metadata, clock: Date.now });
  try {
    return await use(vectors);
  } finally {
    await vectors.close();
    await metadata.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
