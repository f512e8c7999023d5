import type { Dataset } from "../../../domain/datasets/dataset.ts";
import { type Said, wordsAbout } from "../../../domain/documents/said.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import type { PackRanking, SecondStage } from "../../../domain/ports/pack-ranking.ts";
import type { ServedIndex } from "../../../domain/ports/packs.ts";
import type { JobContext } from "../context.ts";
import { documentRows, type StoredRow, type VectorStore } from "../../../domain/ports/vectors.ts";
import { retireStray } from "./retire-stray.ts";

/** First pages, whose words say what a document is. */
const openingPages = 3;

interface Described {
  readonly dataset: Pick<Dataset, "id" | "workspaceId">;
  readonly pack: PackRanking;
  readonly generation: string;
}

type DescribeContext = Pick<JobContext, "metadata" | "vectors" | "maintenance" | "clock">;

interface AsSaid extends Pick<Described, "generation"> {
  readonly dataset: Described["dataset"] & Said;
}

/**
 * Writes what a document is found by as a whole: what is said of it, its first pages and all of its words, made of the rows of its pages as
 * they are in the index. Writing it again replaces it. Needs no claim: what is written of a generation that has ended meanwhile
 * becomes garbage.
 */
export async function describeDocument(
  context: DescribeContext,
  { dataset, pack, generation }: Described,
): Promise<void> {
  await describeDocuments(context, pack, [{ datasetId: dataset.id, generation }]);
}

/**
 * The same of several, as many of them as there still are: the table gets as few new versions as by one, each of which has to be read
 * again by the searches that go on.
 */
export async function describeDocuments(
  context: DescribeContext,
  { id: pack, reads }: PackRanking,
  indices: readonly Pick<ServedIndex, "datasetId" | "generation">[],
): Promise<number> {
  if (reads === undefined) return 0;
  const documents: AsSaid[] = [];
  for (const { datasetId, generation } of indices) {
    // As it is now: it may have changed since the work on the pages began.
    const dataset = await look(context, datasetId);
    if (dataset !== undefined) documents.push({ dataset, generation });
  }
  if (documents.length === 0) return 0;
  await putDocuments(context.vectors, reads, documents);
  for (const document of documents) await followChanges(context, reads, document);
  context.maintenance.request();
  for (const { dataset, generation } of documents) {
    await retireStray(context, { datasetId: dataset.id, pack, generation });
  }
  return documents.length;
}

const look = ({ metadata, clock }: DescribeContext, datasetId: DatasetId): Promise<Dataset | undefined> =>
  metadata.datasets.getUnscoped(datasetId, clock());

/** What changes while a document is written finds either the row or this look at it. */
async function followChanges(
  context: DescribeContext,
  reads: SecondStage,
  { dataset, generation }: AsSaid,
): Promise<void> {
  let written = wordsAbout(dataset);
  for (;;) {
    const now = await look(context, dataset.id);
    if (now === undefined || wordsAbout(now) === written) return;
    await putWordsAbout(context.vectors, reads, [{ dataset: now, generation }]);
    written = wordsAbout(now);
  }
}

/** Writes the rows alone. */
export async function putDocuments(
  vectors: Pick<VectorStore, "readRows" | "putRows" | "putLexical">,
  reads: SecondStage,
  documents: readonly AsSaid[],
): Promise<void> {
  const rows: StoredRow[] = [];
  for (const { dataset, generation } of documents) {
    const key = { datasetId: dataset.id, workspaceId: dataset.workspaceId, generation };
    const { opening, whole } = await readPages(vectors, reads, { dataset, generation });
    rows.push({ ...key, page: documentRows.opening, terms: opening });
    rows.push({ ...key, page: documentRows.whole, terms: whole });
  }
  await vectors.putRows(reads.documents, rows);
  // The last ones: where they are, the others have been written.
  await putWordsAbout(vectors, reads, documents);
}

async function putWordsAbout(
  vectors: Pick<VectorStore, "putLexical">,
  reads: SecondStage,
  documents: readonly AsSaid[],
): Promise<void> {
  const rows = documents.map(({ dataset, generation }) => {
    const { id: datasetId, workspaceId } = dataset;
    return { datasetId, workspaceId, generation, page: documentRows.name, words: wordsAbout(dataset) };
  });
  await vectors.putLexical(reads.documents, rows);
}

async function readPages(
  vectors: Pick<VectorStore, "readRows">,
  { words }: SecondStage,
  { dataset, generation }: Omit<Described, "pack">,
): Promise<{ readonly opening: string; readonly whole: string }> {
  const counts = new Map<string, number>();
  const first = new Map<number, string>();
  for await (const rows of vectors.readRows(words, [dataset.id])) {
    for (const row of rows) {
      if (row.generation !== generation || !isOfWords(row)) continue;
      if (row.page <= openingPages) first.set(row.page, row.terms);
      for (const term of row.terms.toLowerCase().split(" ")) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
  }
  const opening = [...first].toSorted(([one], [other]) => one - other).map(([, terms]) => terms);
  return { opening: opening.join(" "), whole: [...counts].map(([term, count]) => repeated(term, count)).join(" ") };
}

const isOfWords = (row: StoredRow): row is Extract<StoredRow, { terms: string }> => "terms" in row;

/**
 * A term as often as the index is to count it: 1 + log2 of how often the document has it. What a long document is about is said
 * by that as well as by all of its words, in a tenth of the room.
 */
const repeated = (term: string, count: number): string =>
  Array.from({ length: 1 + Math.floor(Math.log2(count)) }, () => term).join(" ");
