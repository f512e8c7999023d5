import type { Dataset } from "../../../domain/datasets/dataset.ts";
import { wordsAbout } from "../../../domain/documents/said.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import { type Features, featuresOf, type IndexOf } from "../../../domain/ports/features.ts";
import type { PackRanking, SecondStage } from "../../../domain/ports/pack-ranking.ts";
import type { JobContext } from "../context.ts";
import { documentRows, type LexicalRow, type TermsRow } from "../../../domain/ports/vectors.ts";
import { readPart } from "../../../domain/features/read-part.ts";
import { retireStray } from "./retire-stray.ts";

/** First pages, whose words say what a document is. */
const openingPages = 3;

interface Described {
  readonly dataset: Pick<Dataset, "id" | "workspaceId">;
  readonly pack: PackRanking;
  readonly generation: string;
}

type DescribeContext = Pick<JobContext, "metadata" | "vectors" | "blobs" | "features" | "maintenance" | "clock">;

/**
 * Writes what a document is found by as a whole: what is said of it, its first pages and all of its words, made of the features of
 * its pages, which are read unless their words are known. Writing it again replaces it. Needs no claim: what is written of a generation that has ended meanwhile becomes garbage.
 */
export async function describeDocument(
  context: DescribeContext,
  described: Described,
  known?: DocumentWords,
): Promise<void> {
  const { pack, generation } = described;
  if (pack.reads === undefined) return;
  // As it is now: it may have changed since the work on the pages began.
  const dataset = await look(context, described.dataset.id);
  if (dataset === undefined) return;
  const key = { datasetId: dataset.id, workspaceId: dataset.workspaceId, generation };
  const words = known ?? (await readWords(context, pack, pack.reads, key));
  await context.vectors.putDocuments(pack, rowsOfDocument(key, wordsAbout(dataset), words));
  await followChanges(context, pack, { dataset, generation });
  context.maintenance.request();
  await retireStray(context, { ...key, pack: pack.id });
}

const look = ({ metadata, clock }: DescribeContext, datasetId: DatasetId): Promise<Dataset | undefined> =>
  metadata.datasets.getUnscoped(datasetId, clock());

/** What changes while a document is written finds either the row or this look at it. */
async function followChanges(
  context: DescribeContext,
  pack: PackRanking,
  { dataset, generation }: Pick<Described, "generation"> & { readonly dataset: Dataset },
): Promise<void> {
  let written = wordsAbout(dataset);
  for (;;) {
    const now = await look(context, dataset.id);
    if (now === undefined || wordsAbout(now) === written) return;
    const { id: datasetId, workspaceId } = now;
    written = wordsAbout(now);
    const row = { datasetId, workspaceId, generation, page: documentRows.name, words: written };
    await context.vectors.putDocuments(pack, [row]);
  }
}

async function readWords(
  context: DescribeContext,
  { spaces }: PackRanking,
  reads: SecondStage,
  index: IndexOf,
): Promise<DocumentWords> {
  const document = collectWords(reads);
  const seen = new Set<number>();
  // Of a page that several parts have, the last one counts.
  for (const part of (await context.metadata.features.parts(index)).toReversed()) {
    const features = await readPart(context, spaces, part, index);
    if (features === undefined) continue;
    document.add(featuresOf(features, new Set(features.pages.filter((page) => !seen.has(page)))));
    for (const page of features.pages) seen.add(page);
  }
  // A worker of a version before there were features may have begun the job.
  const embedded = await context.metadata.pages.embedded(index.datasetId);
  if (embedded.some(({ page }) => !seen.has(page))) await context.metadata.indices.enterUnkept(index);
  return document.words();
}

/** `about`: words of what is said of it. */
export const rowsOfDocument = (
  index: IndexOf,
  about: string,
  { opening, whole }: DocumentWords,
): readonly (LexicalRow | TermsRow)[] => [
  { ...index, page: documentRows.opening, terms: opening },
  { ...index, page: documentRows.whole, terms: whole },
  { ...index, page: documentRows.name, words: about },
];

/** Terms of a document as a whole. */
export interface DocumentWords {
  /** Of its first pages. */
  readonly opening: string;
  /** Of all of its pages; those that it has often, several times. */
  readonly whole: string;
}

/** Makes them of pages, each of which is added once, in any order; of none if the pack does not read documents as a whole. */
export function collectWords(reads: SecondStage | undefined): { add(pages: Features): void; words(): DocumentWords } {
  const counts = new Map<string, number>();
  const first = new Map<number, string>();
  return {
    add({ rows }) {
      for (const row of rows.get(reads?.words.name ?? "") ?? []) {
        if (!("terms" in row)) continue;
        if (row.page <= openingPages) first.set(row.page, row.terms);
        for (const term of row.terms.toLowerCase().split(" ")) counts.set(term, (counts.get(term) ?? 0) + 1);
      }
    },
    words() {
      const opening = [...first].toSorted(([one], [other]) => one - other).map(([, terms]) => terms);
      return { opening: opening.join(" "), whole: [...counts].map(([term, count]) => repeated(term, count)).join(" ") };
    },
  };
}

/**
 * A term as often as the index is to count it: 1 + log2 of how often the document has it. What a long document is about is said
 * by that as well as by all of its words, in a tenth of the room.
 */
const repeated = (term: string, count: number): string =>
  Array.from({ length: 1 + Math.floor(Math.log2(count)) }, () => term).join(" ");
