import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readSettings } from "../../../server/settings/settings.ts";
import { noMetadata } from "../../../server/domain/datasets/metadata.ts";
import { noProperties } from "../../../server/domain/documents/properties.ts";
import { descriptiveWords } from "../../../server/domain/documents/descriptive-text.ts";
import {
  type DatasetId,
  newDatasetId,
  newWorkspaceId,
  parseDatasetId,
  parseWorkspaceId,
  type WorkspaceId,
} from "../../../server/domain/ids.ts";
import type { VectorStore } from "../../../server/domain/ports/vector-store.ts";
import type { LoadedPack } from "../../../server/embedding/pack.ts";
import { collectWords, rowsOfDocument } from "../../../server/pipeline/jobs/document/describe.ts";
import { gatherAll } from "../../../server/ranking/rank.ts";
import type { RankingCandidates } from "../../../server/ranking/rerank/reading.ts";
import { closeStores, openStores } from "../../../server/stores.ts";
import { putPages } from "../index-set.ts";
import type { Collection, DocumentQuestion } from "./collection.ts";
import { type QuestionsOptions, serveQuestions } from "./serve-documents.ts";

/** A collection indexed in a vector store. Each document is a dataset of one workspace. */
export interface IndexedCollection {
  /** Searches the documents with these indexes, or all of them if undefined. */
  search(text: string, documents?: readonly number[]): Promise<RankingCandidates>;
  /** Returns the name of a page as `pageOf` does. `document` is an index; pages count from 1. */
  nameOf(document: number, page: number): string;
  /** Returns the names of the pages that answer a question. */
  answersOf(question: DocumentQuestion): ReadonlySet<string>;
}

/** Returns the name of a hit's page. */
export const pageOf = ({ datasetId, page }: { readonly datasetId: string; readonly page: number }): string =>
  `${datasetId}/${page}`;

/** The number of measured results. */
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
    const about = descriptiveWords({ fileName, ...noProperties, metadata: noMetadata });
    const index = { datasetId: id, workspaceId, generation };
    await vectors.putDocuments(pack, rowsOfDocument(index, about, document.words()));
  }
  await vectors.maintain();
  return indexOf({ pack, vectors }, workspaceId, datasets);
}

/** Creates the collection of datasets in the vector store; the index of a dataset is that of its document. */
function indexOf(
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

const credentials = z.object({ workspaceId: z.string() });

/** Calls a function with the manuals as a collection, indexed by a server. */
export async function withManuals<Result>(
  pack: LoadedPack,
  options: Omit<QuestionsOptions, "set">,
  work: (index: IndexedCollection, questions: readonly DocumentQuestion[], documents: number) => Promise<Result>,
): Promise<Result> {
  return serveQuestions(
    { ...options, set: "manuals" },
    {
      served: async ({ questions, ids }) => ({ questions, ids }),
      async kept(folder, { questions, ids }) {
        const text = await readFile(join(folder, "credentials.json"), "utf8");
        const workspaceId = parseWorkspaceId(credentials.parse(JSON.parse(text)).workspaceId);
        if (workspaceId === undefined) throw new Error(`${folder} has no workspace`);
        const stores = await openStores(readSettings({ flags: { dataDir: folder }, env: {} }));
        try {
          const names = [...ids.keys()];
          const datasets = [...ids.values()].map((id) => {
            const datasetId = parseDatasetId(id);
            if (datasetId === undefined) throw new Error(`${id} is no id of a dataset`);
            return datasetId;
          });
          const alone = indexOf({ pack, vectors: stores.vectors }, workspaceId, datasets);
          const same = new Map(
            questions.map(({ q, also_docs: also = [] }) => [q, also.map((name) => names.indexOf(name))]),
          );
          const index: IndexedCollection = {
            ...alone,
            answersOf(question) {
              const documents = [question.document, ...(same.get(question.text) ?? [])];
              return documents.reduce<ReadonlySet<string>>(
                (all, document) => all.union(alone.answersOf({ ...question, document })),
                new Set(),
              );
            },
          };
          const asked = questions.map(({ q, doc, pages, names: isNamed = false }): DocumentQuestion => {
            return { text: q, document: names.indexOf(doc), pages: new Set(pages), isNamed };
          });
          return await work(index, asked, names.length);
        } finally {
          await closeStores(stores);
        }
      },
    },
  );
}
