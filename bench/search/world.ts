import { join } from "node:path";
import { readSettings } from "../../server/settings/settings.ts";
import { prepareCredentials } from "../../server/startup/credentials.ts";
import type { DatasetId, WorkspaceId } from "../../server/domain/ids.ts";
import type { PackRanking } from "../../server/domain/ports/pack-ranking.ts";
import type { DenseSpace } from "../../server/domain/ports/vectors.ts";
import { type Manifest, readManifest } from "../../server/embedding/manifest.ts";
import { packRanking } from "../../server/embedding/pack-ranking.ts";
import { resolvePackDir } from "../../server/embedding/packs.ts";
import { partsOf } from "../../server/embedding/text/tokens.ts";
import { settleModel } from "../../server/startup/model.ts";
import { closeStores, openStores, type Stores } from "../../server/stores.ts";
import { createRandom } from "../measuring/random.ts";
import { type BruteForce, createBruteForce, type FullText, openFullText } from "../peers/search.ts";
import { addDatasets, isDense, pagesPerDataset, wordsPerPage } from "../synthetic/library.ts";
import { createVectors, type Vectors } from "../synthetic/vectors.ts";
import { createWords, type Words } from "../synthetic/words.ts";

/** Results per search. */
export const limit = 10;
export const wordsPerQuestion = 4;

/** The whole workspace, or one dataset of it. */
export const scopes = ["workspace", "one dataset"] as const;
export type Scope = (typeof scopes)[number];

/** The same pages in the stores of a service and in the programs it is compared with. */
export interface World {
  readonly dataDir: string;
  /** The address of the vectors, if they are not in the data folder. */
  readonly vectorUrl: string | undefined;
  readonly workspaceId: WorkspaceId;
  readonly pack: PackRanking;
  readonly vectorsPerPage: ReadonlyMap<string, number>;
  readonly lean: ReadonlyMap<string, number>;
  readonly random: () => number;
  readonly words: Words;
  readonly vectors: Vectors;
  /** Datasets in the order of their pages in the peers. */
  readonly datasets: DatasetId[];
  /** The space whose vectors brute force compares. */
  readonly textSpace: DenseSpace;
  readonly bruteForce: BruteForce;
  readonly fullText: FullText;
}

/** Tokens per word for English with the tokenizer of the built-in pack. */
const tokensPerWord = 1.3;
/** Vectors of the picture and its kind. */
const pictureVectors = 1;

export async function createWorld({
  folder,
  dataDir,
  vectorUrl,
  maxPages,
}: {
  folder: string;
  dataDir: string;
  vectorUrl?: string | undefined;
  maxPages: number;
}): Promise<World> {
  const manifest = await readManifest(resolvePackDir("builtin"));
  const pack = packRanking(manifest);
  const textName = manifest.spaces.find(({ kind }) => kind === "text")?.name;
  const textSpace = pack.spaces.filter(isDense).find(({ name }) => name === textName);
  if (textSpace === undefined) throw new Error("the built-in pack has no text vectors to search in");
  const vectorsPerPage = new Map(manifest.spaces.map((space) => [space.name, countVectors(space)]));
  const random = createRandom(7);
  return {
    dataDir,
    vectorUrl,
    workspaceId: await withStores({ dataDir, vectorUrl }, (stores) => createWorkspace(stores, dataDir)),
    pack,
    vectorsPerPage,
    lean: new Map(manifest.spaces.map((space) => [space.name, space.kind === "text" ? space.parts.whole : 0])),
    random,
    words: createWords(random),
    vectors: createVectors(random),
    datasets: [],
    textSpace,
    bruteForce: createBruteForce(textSpace.dimensions, maxPages * (vectorsPerPage.get(textSpace.name) ?? 1)),
    fullText: openFullText(join(folder, "peer.sqlite")),
  };
}

export const closeWorld = ({ fullText }: World): void => fullText.close();

function countVectors(space: Manifest["spaces"][number]): number {
  if (space.kind !== "text") return pictureVectors;
  const tokens = Array.from({ length: wordsPerPage * tokensPerWord }, (_, index) => index);
  return 1 + partsOf(tokens, space.parts).length;
}

/** LanceDB would warn about empty index partitions, which synthetic vectors have. It reads the variable when it loads. */
process.env["LANCEDB_LOG"] ??= "error";

/** Creates what the first start of a service creates. */
async function createWorkspace(stores: Stores, dataDir: string): Promise<WorkspaceId> {
  const { metadata } = stores;
  await settleModel(stores, { model: undefined, modelsDir: join(dataDir, "models"), isShared: false });
  await prepareCredentials(metadata, { dataDir, server: "http://127.0.0.1", reissue: "if lost" }, Date.now());
  const organisation = await metadata.organisations.operator();
  const [workspace] = organisation === undefined ? [] : await metadata.workspaces.list(organisation.id);
  if (workspace === undefined) throw new Error("the stores have no workspace");
  return workspace.id;
}

export async function withStores<Result>(
  { dataDir, vectorUrl }: Pick<World, "dataDir" | "vectorUrl">,
  work: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  const flags = { dataDir, ...(vectorUrl !== undefined && { vectorUrl }) };
  const stores = await openStores(readSettings({ flags, env: {} }));
  try {
    return await work(stores);
  } finally {
    await closeStores(stores);
  }
}

/** Adds datasets until there are `pages` pages, and runs maintenance as after jobs. */
export async function growTo(world: World, stores: Stores, pages: number): Promise<void> {
  const { textSpace, bruteForce, fullText, datasets } = world;
  const options = { ...world, stores };
  const added = await addDatasets(options, pages / pagesPerDataset - datasets.length, (dataset) => {
    for (const { vectors } of dataset) for (const vector of vectors.get(textSpace.name) ?? []) bruteForce.add(vector);
    fullText.add(dataset.map(({ words }) => words));
  });
  datasets.push(...added);
  await stores.vectors.maintain();
}
