import { noMetadata } from "../../../server/domain/datasets/metadata.ts";
import { wordsAbout } from "../../../server/domain/documents/said.ts";
import { noProperties } from "../../../server/domain/documents/properties.ts";
import { type DatasetId, newDatasetId, newWorkspaceId, type WorkspaceId } from "../../../server/domain/ids.ts";
import type { VectorStore } from "../../../server/domain/ports/vector-store.ts";
import { gatherAll } from "../../../server/ranking/rank.ts";
import type { Gathered } from "../../../server/ranking/rerank/reading.ts";
import type { LoadedPack } from "../../../server/embedding/pack.ts";
import { collectWords, rowsOfDocument } from "../../../server/pipeline/jobs/document/describe.ts";
import { putPages } from "../index-set.ts";
import type { Collection, DocumentQuestion } from "./collection.ts";

/** A collection that has been indexed in a vector store, every document a dataset of one workspace. */
export interface IndexedCollection {
  /** In the documents of these places only; in all when undefined. */
  search(text: string, documents?: readonly number[]): Promise<Gathered>;
  /** Names a page as `pageOf` names those of hits; `document` is a place, pages count from 1. */
  nameOf(document: number, page: number): string;
  /** Named in the same way. */
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
    const features = await putPages(pack, vectors, { workspaceId, datasetId: id, from: 0, texts });
    if (pack.reads === undefined) continue;
    const document = collectWords(pack.reads);
    document.add(features);
    const about = wordsAbout({ fileName, ...noProperties, metadata: noMetadata });
    const index = { datasetId: id, workspaceId, generation };
    await vectors.putDocuments(pack, rowsOfDocument(index, about, document.words()));
  }
  await vectors.maintain();
  return indexOf({ pack, vectors }, workspaceId, datasets);
}

/** Documents that have been indexed, by their places. */
export function indexOf(
  { pack, vectors }: { readonly pack: LoadedPack; readonly vectors: VectorStore },
  workspaceId: WorkspaceId,
  datasets: readonly DatasetId[],
): IndexedCollection {
  const nameOf = (document: number, page: number): string => `${datasets[document] ?? ""}/${page}`;
  const embed = (text: string) => pack.embedQuery({ text });
  return {
    async search(text, documents) {
      const datasetIds = documents?.flatMap((document) => datasets[document] ?? []);
      return gatherAll({ pack, vectors, embed }, await embed(text), { workspaceId, datasetIds, limit: depth });
    },
    nameOf,
    answersOf: ({ document, pages }) => new Set(Array.from(pages, (page) => nameOf(document, page))),
  };
}
