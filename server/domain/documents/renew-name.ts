import type { Dataset } from "../datasets/dataset.ts";
import type { Domain } from "../domain.ts";
import { documentRows } from "../ports/vectors.ts";
import { wordsOfName } from "./words-of-name.ts";

/** Writes the name of a document into the index, in the place of the one it was found by. Nothing where it is not indexed. */
export async function renewName(
  { metadata, packs, vectors }: Pick<Domain, "metadata" | "packs" | "vectors">,
  { id, workspaceId, fileName }: Pick<Dataset, "id" | "workspaceId" | "fileName">,
): Promise<void> {
  const index = await metadata.packs.ofDataset(id);
  const reads = index && (await packs.find(index.pack))?.reads;
  if (index === undefined || reads === undefined) return;
  const row = { datasetId: id, workspaceId, generation: index.generation, page: documentRows.name };
  await vectors.putLexical(reads.documents, [{ ...row, words: wordsOfName(fileName) }]);
}
