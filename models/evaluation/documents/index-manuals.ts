import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readSettings } from "../../../server/config.ts";
import { parseDatasetId, parseWorkspaceId } from "../../../server/domain/ids.ts";
import { gatherAll } from "../../../server/domain/search/rank.ts";
import type { LoadedPack } from "../../../server/embedding/pack.ts";
import { closeStores, openStores } from "../../../server/stores.ts";
import { z } from "zod";
import type { DocumentQuestion } from "./collections.ts";
import { depth, type IndexedCollection, pageOf } from "./index-collection.ts";
import { type ManualsOptions, serveManuals } from "./serve-manuals.ts";

const credentials = z.object({ workspaceId: z.string() });

/** The manuals as a collection, with the rows that a server has made of them. */
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
        const nameOf = (document: number, page: number): string =>
          pageOf({ datasetId: ids.get(names[document] ?? "") ?? "", page });
        const same = new Map(
          questions.map(({ q, also_docs: also = [] }) => [q, also.map((name) => names.indexOf(name))]),
        );
        const index: IndexedCollection = {
          async search(asked, documents) {
            const datasetIds = documents?.flatMap((at) => parseDatasetId(ids.get(names[at] ?? "") ?? "") ?? []);
            const query = await pack.embedQuery({ text: asked });
            const embed = (rest: string) => pack.embedQuery({ text: rest });
            const ranker = { pack, vectors: stores.vectors, embed };
            return gatherAll(ranker, query, { workspaceId, datasetIds, limit: depth });
          },
          nameOf,
          answersOf({ text: asked, document, pages }) {
            const documents = [document, ...(same.get(asked) ?? [])];
            return new Set(documents.flatMap((at) => Array.from(pages, (page) => nameOf(at, page))));
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
