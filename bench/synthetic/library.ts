import { newDataset } from "../../server/domain/datasets/create.ts";
import { newDatasetId, type DatasetId, type WorkspaceId } from "../../server/domain/ids.ts";
import { newJob } from "../../server/domain/jobs/create.ts";
import type { PageRecord } from "../../server/domain/ports/pages.ts";
import type { DenseRow, DenseSpace, LexicalRow, SpaceRef } from "../../server/domain/ports/vectors.ts";
import type { Stores } from "../../server/stores.ts";
import type { Vectors } from "./vectors.ts";
import type { Words } from "./words.ts";

/** A page as every store, and every peer, gets it. */
export interface SyntheticPage {
  readonly datasetId: DatasetId;
  readonly page: number;
  readonly words: string;
  /** By space; the whole page first. */
  readonly vectors: ReadonlyMap<string, readonly Float32Array[]>;
}

export interface LibraryOptions {
  readonly stores: Stores;
  readonly workspaceId: WorkspaceId;
  readonly spaces: readonly SpaceRef[];
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
    const group = Array.from({ length: Math.min(datasetsAtOnce, count - from) }, () => makePages(options));
    await writeVectors(options, group.flat());
    for (const pages of group) {
      ids.push(...(await writeRows(options, pages)));
      also(pages);
    }
  }
  return ids;
}

function makePages({ spaces, vectorsPerPage, lean, words, vectors }: LibraryOptions): readonly SyntheticPage[] {
  const datasetId = newDatasetId();
  const dense = spaces.filter(isDense).map(({ name, dimensions }) => ({
    name,
    document: vectors.document(dimensions),
    count: vectorsPerPage.get(name) ?? 1,
    towards: lean.get(name) ?? 0,
  }));
  return Array.from({ length: pagesPerDataset }, (_, index) => ({
    datasetId,
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
      const rows = pages.map(({ datasetId, page, words }): LexicalRow => ({
        workspaceId,
        datasetId,
        generation: "",
        page,
        words,
      }));
      return vectors.putLexical(space, rows);
    }
    const rows = pages.map((page): DenseRow => ({
      workspaceId,
      generation: "",
      ...page,
      vectors: page.vectors.get(space.name) ?? [],
    }));
    return vectors.putDense(space, rows);
  };
  await Promise.all(spaces.map(put));
}

/** A dataset with its pages, by the way of a job: the metadata knows no other. */
async function writeRows(
  { stores, workspaceId }: LibraryOptions,
  pages: readonly SyntheticPage[],
): Promise<readonly DatasetId[]> {
  const { metadata } = stores;
  const [first] = pages;
  if (first === undefined) return [];
  const now = Date.now();
  const { datasetId: id } = first;
  const dataset = newDataset({
    id,
    workspaceId,
    fileName: `${id}.pdf`,
    kind: { fileExt: "pdf", mimeType: "application/pdf" },
    stored: { size: pages.length * 10_000, sha256: "0".repeat(64) },
    expiresInDays: undefined,
    now,
  });
  const job = newJob(workspaceId, id, "datasets/vectorize", now);
  await metadata.datasets.create({ ...dataset, itemCount: pages.length }, job);
  const claimed = await metadata.jobs.claim("bench", leaseMs, now);
  if (claimed?.job.id !== job.id) throw new Error("another job is waiting in the stores");
  const { lease } = claimed;
  // Searching never reads these words, and compressing them would be most of the time.
  const records = pages.map(({ page }): PageRecord => ({ page, words: "", ...size, failure: null }));
  const numbers = pages.map(({ page }) => page);
  await metadata.pages.save(lease, id, records, now);
  await metadata.pages.markEmbedded(lease, id, numbers, now);
  await metadata.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
  return [id];
}

export const isDense = (space: SpaceRef): space is DenseSpace => space.kind === "dense";
