import { newDataset } from "../../server/domain/datasets/create.ts";
import { newDatasetId, type DatasetId, type WorkspaceId } from "../../server/domain/ids.ts";
import { newJob } from "../../server/domain/jobs/create.ts";
import type { Lease } from "../../server/domain/ports/jobs.ts";
import type { PageRecord } from "../../server/domain/ports/pages.ts";
import type { DenseRow, DenseSpace, LexicalRow, SpaceRef } from "../../server/domain/ports/vectors.ts";
import type { SecondStage } from "../../server/domain/ports/pack-ranking.ts";
import { putDocuments } from "../../server/pipeline/jobs/document/describe.ts";
import type { Stores } from "../../server/stores.ts";
import type { Vectors } from "./vectors.ts";
import type { Words } from "./words.ts";

/** A page as every store, and every peer, gets it. */
export interface SyntheticPage {
  readonly datasetId: DatasetId;
  /** Of the index of its dataset. */
  readonly generation: string;
  readonly page: number;
  readonly words: string;
  /** By space; the whole page first. */
  readonly vectors: ReadonlyMap<string, readonly Float32Array[]>;
}

export interface LibraryOptions {
  readonly stores: Stores;
  readonly workspaceId: WorkspaceId;
  readonly spaces: readonly SpaceRef[];
  /** Where the pack has documents as a whole; undefined: nowhere. */
  readonly reads: SecondStage | undefined;
  /** By dense space. */
  readonly vectorsPerPage: ReadonlyMap<string, number>;
  /** By dense space: how much the vectors after a page's first are drawn towards it; 0 when missing. */
  readonly lean: ReadonlyMap<string, number>;
  readonly words: Words;
  readonly vectors: Vectors;
}

export const pagesPerDataset = 250;
export const wordsPerPage = 250;
/** Points; A4. */
const size = { width: 595, height: 842 };
const leaseMs = 60_000;
/** Datasets whose vectors are written together. */
const datasetsAtOnce = 8;

/** Adds vectorized documents to the stores, as jobs would have left them. Each page is handed on to `also`. */
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
    await writeVectors(options, group.flat());
    await writeDocuments(options, jobs);
    for (const job of jobs) await endJob(options, job);
    ids.push(...jobs.map(({ datasetId }) => datasetId));
    for (const pages of group) also(pages);
  }
  return ids;
}

function makePages(
  { spaces, vectorsPerPage, lean, words, vectors }: LibraryOptions,
  { datasetId, generation }: BegunJob,
): readonly SyntheticPage[] {
  const dense = spaces.filter(isDense).map(({ name, dimensions }) => ({
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

async function writeVectors(
  { stores: { vectors }, spaces, workspaceId }: LibraryOptions,
  pages: readonly SyntheticPage[],
): Promise<void> {
  const put = (space: SpaceRef): Promise<void> => {
    if (!isDense(space)) {
      const rows = pages.map(({ datasetId, generation, page, words }): LexicalRow => ({
        workspaceId,
        datasetId,
        generation,
        page,
        words,
      }));
      return vectors.putLexical(space, rows);
    }
    const rows = pages.map((page): DenseRow => ({
      workspaceId,
      ...page,
      vectors: page.vectors.get(space.name) ?? [],
    }));
    return vectors.putDense(space, rows);
  };
  await Promise.all(spaces.map(put));
}

/** Without these a server finds at its start that they are missing, and makes them beside whatever is measured. */
async function writeDocuments(
  { stores: { metadata, vectors }, reads }: LibraryOptions,
  jobs: readonly BegunJob[],
): Promise<void> {
  if (reads === undefined) return;
  const documents = [];
  for (const { datasetId, generation } of jobs) {
    const dataset = await metadata.datasets.getUnscoped(datasetId, Date.now());
    if (dataset !== undefined) documents.push({ dataset, generation });
  }
  await putDocuments(vectors, reads, documents);
}

/** A dataset whose pages are about to be embedded, by the way of a job: the metadata knows no other. */
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
  // Searching never reads these words, and compressing them would be most of the time.
  const records = numbers.map((page): PageRecord => ({ page, words: "", ...size, failure: null }));
  await metadata.pages.save(lease, datasetId, records, now);
  const index = await metadata.indices.begin(lease, dataset, true, now);
  if (index === undefined) throw new Error("the claim of a dataset's job is over");
  return { datasetId, generation: index.generation, lease };
}

async function endJob({ stores: { metadata } }: LibraryOptions, { datasetId, lease }: BegunJob): Promise<void> {
  const now = Date.now();
  const isHeld = await metadata.pages.markEmbedded(lease, datasetId, numbers, now);
  if (!isHeld) throw new Error("the claim of a dataset's job was lost while its vectors were written");
  await metadata.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
}

export const isDense = (space: SpaceRef): space is DenseSpace => space.kind === "dense";
