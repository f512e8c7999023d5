import type { Dataset } from "../../../domain/datasets/dataset.ts";
import { descriptiveWords } from "../../../domain/documents/descriptive-text.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import { type Features, featuresOf, type IndexOf } from "../../../domain/ports/features.ts";
import type { PackRanking, SecondStage } from "../../../domain/ports/pack-ranking.ts";
import type { JobContext } from "../context.ts";
import { documentRows, type LexicalRow, type TermsRow } from "../../../domain/ports/vectors.ts";
import { readPart } from "../../../domain/features/read-part.ts";
import { retireStray } from "./put-pages.ts";

/** Number of first pages, whose words describe the document. */
const openingPages = 3;

interface IndexedDocument {
  readonly dataset: Pick<Dataset, "id" | "workspaceId">;
  readonly pack: PackRanking;
  readonly generation: string;
}

type DescribeContext = Pick<JobContext, "metadata" | "vectors" | "blobs" | "features" | "maintenance" | "clock">;

/**
 * Writes the index rows with which searches find a document as a whole: its descriptive text, the words of its first pages and
 * all of its words. The words come from the features of its pages, which are read unless `known` has the words. Writing the rows
 * again replaces them. No claim is needed: rows of a generation that has ended meanwhile become garbage.
 */
export async function describeDocument(
  context: DescribeContext,
  indexed: IndexedDocument,
  known?: DocumentWords,
): Promise<void> {
  const { pack, generation } = indexed;
  if (pack.reads === undefined) return;
  // The dataset is read again, because it may have changed since the work on the pages began.
  const dataset = await look(context, indexed.dataset.id);
  if (dataset === undefined) return;
  const key = { datasetId: dataset.id, workspaceId: dataset.workspaceId, generation };
  const words = known ?? (await readWords(context, pack, pack.reads, key));
  await context.vectors.putDocuments(pack, rowsOfDocument(key, descriptiveWords(dataset), words));
  await followChanges(context, pack, { dataset, generation });
  context.maintenance.request();
  await retireStray(context, { ...key, pack: pack.id });
}

const look = ({ metadata, clock }: DescribeContext, datasetId: DatasetId): Promise<Dataset | undefined> =>
  metadata.datasets.getUnscoped(datasetId, clock());

/** Writes the descriptive text again if it has changed meanwhile: a concurrent change either finds the row or is noticed here. */
async function followChanges(
  context: DescribeContext,
  pack: PackRanking,
  { dataset, generation }: Pick<IndexedDocument, "generation"> & { readonly dataset: Dataset },
): Promise<void> {
  let written = descriptiveWords(dataset);
  for (;;) {
    const now = await look(context, dataset.id);
    if (now === undefined || descriptiveWords(now) === written) return;
    const { id: datasetId, workspaceId } = now;
    written = descriptiveWords(now);
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
  // If several parts contain a page, the last one counts.
  for (const part of (await context.metadata.features.parts(index)).toReversed()) {
    const features = await readPart(context, spaces, part, index);
    if (features === undefined) continue;
    document.add(featuresOf(features, new Set(features.pages.filter((page) => !seen.has(page)))));
    for (const page of features.pages) seen.add(page);
  }
  return document.words();
}

/** Returns the rows of a document; `about` is its descriptive text. */
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
  /** Terms of its first pages. */
  readonly opening: string;
  /** Terms of all its pages; frequent ones are repeated. */
  readonly whole: string;
}

/**
 * Collects the terms of pages, each of which is added once, in any order. The terms stay empty if the pack has no document rows.
 */
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
 * Repeats a term 1 + log2 of its count in the document, which is how often the index counts it. This describes a long document as
 * well as all of its words would, in a tenth of the space.
 */
const repeated = (term: string, count: number): string =>
  Array.from({ length: 1 + Math.floor(Math.log2(count)) }, () => term).join(" ");
