import type { Dataset } from "../../../domain/datasets/dataset.ts";
import { type Said, wordsAbout } from "../../../domain/documents/said.ts";
import type { PackRanking, SecondStage } from "../../../domain/ports/pack-ranking.ts";
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

interface AsSaid extends Pick<Described, "generation"> {
  readonly dataset: Described["dataset"] & Said;
}

/**
 * Writes what a document is found by as a whole: what is said of it, its first pages and all of its words, made of the rows of its pages as
 * they are in the index. Writing it again replaces it. Needs no claim: what is written of a generation that has ended meanwhile
 * becomes garbage.
 */
export async function describeDocument(
  context: Pick<JobContext, "metadata" | "vectors" | "maintenance" | "clock">,
  described: Described,
): Promise<void> {
  const { dataset, pack, generation } = described;
  if (pack.reads === undefined) return;
  // As it is now: it may have changed since the work on the pages began.
  const look = () => context.metadata.datasets.getUnscoped(dataset.id, context.clock());
  let now = await look();
  if (now === undefined) return;
  await putDocument(context.vectors, pack.reads, { dataset: now, generation });
  let written = wordsAbout(now);
  // What changes while this is written finds either the row or this look at it.
  while ((now = await look()) !== undefined && wordsAbout(now) !== written) {
    await putWordsAbout(context.vectors, pack.reads, { dataset: now, generation });
    written = wordsAbout(now);
  }
  context.maintenance.request();
  await retireStray(context, { datasetId: dataset.id, pack: pack.id, generation });
}

/** Writes the rows alone. */
export async function putDocument(
  vectors: Pick<VectorStore, "readRows" | "putRows" | "putLexical">,
  reads: SecondStage,
  { dataset, generation }: AsSaid,
): Promise<void> {
  const { documents } = reads;
  const key = { datasetId: dataset.id, workspaceId: dataset.workspaceId, generation };
  const { opening, whole } = await readPages(vectors, reads, { dataset, generation });
  await vectors.putRows(documents, [
    { ...key, page: documentRows.opening, terms: opening },
    { ...key, page: documentRows.whole, terms: whole },
  ]);
  // The last one: where it is, the others have been written.
  await putWordsAbout(vectors, reads, { dataset, generation });
}

async function putWordsAbout(
  vectors: Pick<VectorStore, "putLexical">,
  { documents }: SecondStage,
  { dataset, generation }: AsSaid,
): Promise<void> {
  const { id: datasetId, workspaceId } = dataset;
  const row = { datasetId, workspaceId, generation, page: documentRows.name, words: wordsAbout(dataset) };
  await vectors.putLexical(documents, [row]);
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
