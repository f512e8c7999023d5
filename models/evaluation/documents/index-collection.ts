import { newDatasetId, newWorkspaceId } from "../../../server/domain/ids.ts";
import type { VectorStore } from "../../../server/domain/ports/vectors.ts";
import { gatherAll, type Gathered } from "../../../server/domain/search/rank.ts";
import type { LoadedPack } from "../../../server/embedding/pack.ts";
import { putDocument } from "../../../server/pipeline/jobs/document/describe.ts";
import { putPages } from "../index-set.ts";
import type { Collection, DocumentQuestion } from "./collections.ts";

/** A collection that has been indexed in a vector store, every document a dataset of one workspace. */
export interface IndexedCollection {
  /** `isWithin`: only in the document that answers. */
  search(question: DocumentQuestion, isWithin: boolean): Promise<Gathered>;
  /** Names a page as `pageOf` names those of hits. */
  answersOf(question: DocumentQuestion): ReadonlySet<string>;
}

/** The page of a hit. */
export const pageOf = ({ datasetId, page }: { readonly datasetId: string; readonly page: number }): string =>
  `${datasetId}/${page}`;

/** Results that are measured. */
const depth = 10;
const generation = "";

export async function indexCollection(
  pack: LoadedPack,
  vectors: VectorStore,
  collection: Collection,
): Promise<IndexedCollection> {
  const workspaceId = newWorkspaceId();
  const datasets = collection.documents.map(() => newDatasetId());
  for (const [place, { fileName, pages: texts }] of collection.documents.entries()) {
    const id = datasets[place];
    if (id === undefined) continue;
    await putPages(pack, vectors, { workspaceId, datasetId: id, from: 0, texts });
    if (pack.reads !== undefined) {
      await putDocument(vectors, pack.reads, { dataset: { id, workspaceId, fileName }, generation });
    }
  }
  await vectors.maintain();
  return {
    async search({ text, document }, isWithin) {
      const datasetIds = isWithin ? datasets.slice(document, document + 1) : undefined;
      const query = await pack.embedQuery({ text });
      return gatherAll({ pack, vectors }, query, { workspaceId, datasetIds, limit: depth });
    },
    answersOf: ({ document, pages }) => new Set(Array.from(pages, (page) => `${datasets[document] ?? ""}/${page}`)),
  };
}
