import { newDataset } from "../../server/domain/datasets/create.ts";
import { newDatasetId, type DatasetId, type WorkspaceId } from "../../server/domain/ids.ts";
import { newJob } from "../../server/domain/jobs/job.ts";
import type { Lease } from "../../server/domain/ports/jobs.ts";
import type { PageRecord } from "../../server/domain/ports/pages.ts";
import type { ComputedPage } from "../../server/domain/ports/features.ts";
import type { PackRanking } from "../../server/domain/ports/pack-ranking.ts";
import type { DenseSpace, SpaceRef } from "../../server/domain/ports/vectors.ts";
import { collectWords, rowsOfDocument } from "../../server/pipeline/jobs/document/describe.ts";
import { storePart } from "../../server/pipeline/jobs/document/put-pages.ts";
import type { Stores } from "../../server/stores.ts";
import type { Vectors } from "./vectors.ts";
import type { Words } from "./words.ts";

/** A page as all stores and peers receive it. */
interface SyntheticPage {
  readonly datasetId: DatasetId;
  /** The generation of the index of its dataset. */
  readonly generation: string;
  readonly page: number;
  readonly words: string;
  /** Vectors by space; the vector of the whole page comes first. */
  readonly vectors: ReadonlyMap<string, readonly Float32Array[]>;
}

interface LibraryOptions {
  readonly stores: Stores;
  readonly workspaceId: WorkspaceId;
  readonly pack: PackRanking;
  /** Vectors by dense space. */
  readonly vectorsPerPage: ReadonlyMap<string, number>;
  /** Weight with which the first vector of a page is added to its other ones, by dense space; 0 if missing. */
  readonly lean: ReadonlyMap<string, number>;
  readonly words: Words;
  readonly vectors: Vectors;
}

export const pagesPerDataset = 250;
export const wordsPerPage = 250;
/** A4 in points. */
const size = { width: 595, height: 842 };
const leaseMs = 60_000;
/** Datasets whose vectors are written together. */
const datasetsAtOnce = 8;

/** Adds vectorized documents to the stores, as jobs would leave them. Each page is also passed to `also`. */
export async function addDatasets(
  options: LibraryOptions,
  count: number,
  also: (pages: readonly SyntheticPage[]) => void,
): Promise<readonly DatasetId[]> {
  const ids: DatasetId[] = [];
  for (let from = 0; from < count; from += datasetsAtOnce) {
    const jobs: BegunJob[] = [];
    while (jobs.length < Math.min(datasetsAtOnce, count - from)) jobs.push(await beginJob(options));
    const group = jobs.map((job) => makePages(options, job));
    for (const [at, job] of jobs.entries()) await writePages(options, job, group[at] ?? []);
    for (const job of jobs) await endJob(options, job);
    ids.push(...jobs.map(({ datasetId }) => datasetId));
    for (const pages of group) also(pages);
  }
  return ids;
}

function makePages(
  { pack, vectorsPerPage, lean, words, vectors }: LibraryOptions,
  { datasetId, generation }: BegunJob,
): readonly SyntheticPage[] {
  const dense = pack.spaces.filter(isDense).map(({ name, dimensions }) => ({
    name,
    document: vectors.document(dimensions),
    count: vectorsPerPage.get(name) ?? 1,
    towards: lean.get(name) ?? 0,
  }));
  return Array.from({ length: pagesPerDataset }, (_, index) => ({
    datasetId,
    generation,
    page: index + 1,
    words: words.text(wordsPerPage),
    vectors: new Map(dense.map(({ name, document, count, towards }) => [name, vectors.page(document, count, towards)])),
  }));
}

/** Writes the pages and the document of a dataset, as a job leaves them in the stores. */
async function writePages(
  { stores, workspaceId, pack }: LibraryOptions,
  { datasetId, generation, lease }: BegunJob,
  pages: readonly SyntheticPage[],
): Promise<void> {
  const { vectors, features: codec, metadata } = stores;
  const index = { datasetId, workspaceId, generation };
  const computed = pages.map(({ page, words, vectors: ofPage }): ComputedPage => ({
    page,
    spaces: pack.spaces.map((space) =>
      isDense(space)
        ? { space: space.name, kind: "dense", vectors: ofPage.get(space.name) ?? [] }
        : { space: space.name, kind: "lexical", words },
    ),
  }));
  const features = codec.make(pack.spaces, computed, index);
  await storePart({ ...stores, clock: Date.now }, { index, pack, lease }, features, async (stored) => {
    const part = { ...stored, table: await vectors.put(pack, features, index) };
    if (!(await metadata.pages.markEmbedded(lease, datasetId, numbers, Date.now(), { part })))
      throw new Error("the claim of a dataset's job was lost while its pages were written");
  });
  if (pack.reads === undefined) return;
  const document = collectWords(pack.reads);
  document.add(features);
  await vectors.putDocuments(pack, rowsOfDocument(index, datasetId, document.words()));
}

/** A dataset whose pages are about to be embedded. It has a job, because only the holder of a job's claim may write pages. */
interface BegunJob {
  readonly datasetId: DatasetId;
  readonly generation: string;
  readonly lease: Lease;
}

const numbers = Array.from({ length: pagesPerDataset }, (_, index) => index + 1);

async function beginJob({ stores: { metadata }, workspaceId }: LibraryOptions): Promise<BegunJob> {
  const now = Date.now();
  const datasetId = newDatasetId();
  const dataset = newDataset({
    id: datasetId,
    workspaceId,
    fileName: `${datasetId}.pdf`,
    kind: { fileExt: "pdf", mimeType: "application/pdf" },
    stored: { size: pagesPerDataset * 10_000, sha256: "0".repeat(64) },
    expiresInDays: undefined,
    now,
  });
  const job = newJob(workspaceId, datasetId, "datasets/vectorize", now);
  await metadata.datasets.create({ ...dataset, itemCount: pagesPerDataset }, job);
  const claimed = await metadata.jobs.claim("bench", leaseMs, now);
  if (claimed?.job.id !== job.id) throw new Error("another job is waiting in the stores");
  const { lease } = claimed;
  // Searches never read these words, and compressing them would take most of the time.
  const records = numbers.map((page): PageRecord => ({ page, words: "", ...size, failure: null }));
  await metadata.pages.save(lease, datasetId, records, now);
  const index = await metadata.indices.begin(lease, dataset, true, now);
  if (index === undefined) throw new Error("the claim of a dataset's job is over");
  return { datasetId, generation: index.generation, lease };
}

async function endJob({ stores: { metadata } }: LibraryOptions, { lease }: BegunJob): Promise<void> {
  await metadata.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, Date.now());
}

export const isDense = (space: SpaceRef): space is DenseSpace => space.kind === "dense";
