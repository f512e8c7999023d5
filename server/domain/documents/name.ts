import type { Dataset } from "../datasets/dataset.ts";
import type { PackRanking } from "../ports/pack-ranking.ts";
import type { IndexRef, IndexStore } from "../ports/packs.ts";
import { documentRows, type LexicalSpace, type VectorStore } from "../ports/vectors.ts";

/** The part of `Domain` that is needed. */
interface Renewing {
  readonly metadata: { readonly indices: Pick<IndexStore, "generations"> };
  readonly packs: { find(id: string): Promise<Pick<PackRanking, "reads"> | undefined> };
  readonly vectors: Pick<VectorStore, "rowsOf" | "putLexical">;
}

type Named = Pick<Dataset, "id" | "workspaceId" | "fileName">;

/** The words of a name: without what tells formats apart, and with spaces where people write other signs. */
export const wordsOfName = (fileName: string): string =>
  fileName.replace(/\.[a-z0-9]{1,5}$/i, "").replace(/[_\-.+]+/g, " ");

/**
 * Has a document found by the name that it has now: to be called when the name has changed. Nothing is read of its pages. A
 * document that has not been described yet gets its name when it is.
 */
export async function renewName({ metadata, packs, vectors }: Renewing, named: Named): Promise<void> {
  for (const { pack, generation } of await metadata.indices.generations([named.id])) {
    const reads = (await packs.find(pack))?.reads;
    if (reads !== undefined) await replaceName(vectors, reads.documents, { named, generation });
  }
}

/** A row of the name says that the other rows of the document are there: it is replaced, never added. */
async function replaceName(
  vectors: Pick<VectorStore, "rowsOf" | "putLexical">,
  documents: LexicalSpace,
  { named: { id, workspaceId, fileName }, generation }: { named: Named } & Pick<IndexRef, "generation">,
): Promise<void> {
  for await (const row of vectors.rowsOf(documents, id)) {
    if (row.page !== documentRows.name || row.generation !== generation) continue;
    await vectors.putLexical(documents, [{ ...row, workspaceId, words: wordsOfName(fileName) }]);
    return;
  }
}
