import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readSettings } from "../../../server/config.ts";
import { parseDatasetId, parseWorkspaceId } from "../../../server/domain/ids.ts";
import type { LoadedPack } from "../../../server/embedding/pack.ts";
import { closeStores, openStores } from "../../../server/stores.ts";
import { z } from "zod";
import type { DocumentQuestion } from "./collection.ts";
import { type IndexedCollection, indexOf } from "./index-collection.ts";
import { type ManualsOptions, serveManuals } from "./serve-manuals.ts";

const credentials = z.object({ workspaceId: z.string() });

/** Calls a function with the manuals as a collection, and the rows that a server has made of them. */
export async function withManuals<Result>(
  pack: LoadedPack,
  options: ManualsOptions,
  work: (index: IndexedCollection, questions: readonly DocumentQuestion[], documents: number) => Promise<Result>,
): Promise<Result> {
  return serveManuals(options, {
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
        const asked = questions.map(({ q, doc, pages, names: isNamed }): DocumentQuestion => {
          return { text: q, document: names.indexOf(doc), pages: new Set(pages), isNamed };
        });
        return await work(index, asked, names.length);
      } finally {
        await closeStores(stores);
      }
    },
  });
}
