import type { Dataset } from "../datasets/dataset.ts";
import type { Clock } from "../clock.ts";
import type { DatasetStore } from "../ports/datasets.ts";
import type { PackRanking } from "../ports/pack-ranking.ts";
import type { IndexRef, IndexStore } from "../ports/packs.ts";
import type { SpacesOfPack, VectorStore } from "../ports/vector-store.ts";
import { documentRows } from "../ports/vectors.ts";

/** The part of `Domain` that is needed. */
interface Renewing {
  readonly metadata: {
    readonly datasets: Pick<DatasetStore, "getUnscoped">;
    readonly indices: Pick<IndexStore, "generations">;
  };
  readonly packs: { find(id: string): Promise<Pick<PackRanking, "id" | "spaces" | "reads"> | undefined> };
  readonly vectors: Pick<VectorStore, "rowsOf" | "putDocuments">;
  readonly clock: Clock;
}

/** What is said of a document: by its owner, and by its file. */
export type Said = Pick<Dataset, "fileName" | "title" | "author" | "metadata">;
type Named = Said & Pick<Dataset, "id" | "workspaceId">;

/** Of the values of metadata together: more would take the weight off the words of the name. */
const maxMetadataCharacters = 500;

/** The words of a name: without what tells formats apart, and with spaces where people write other signs. */
export const wordsOfName = (fileName: string): string =>
  fileName.replace(/\.[a-z0-9]{1,5}$/i, "").replace(/[_\-.+]+/g, " ");

/**
 * The words of all that is said of a document: name and title, author, texts and numbers of its metadata. A word counts once: a
 * title that repeats the name says nothing more.
 */
export function wordsAbout({ fileName, title, author, metadata }: Said): string {
  const values = Object.values(metadata)
    .flat()
    .filter((value) => typeof value !== "boolean")
    .join(" ")
    .slice(0, maxMetadataCharacters)
    .toWellFormed();
  const words = [wordsOfName(fileName), wordsOfName(title ?? ""), author ?? "", values].join(" ").split(/\s+/);
  return [...new Map(words.map((word) => [word.toLowerCase(), word])).values()].join(" ").trim();
}

/**
 * Has a document found by what is said of it now: to be called when name or metadata have changed. Nothing is read of its pages. A
 * document that has not been described yet gets it when it is.
 */
export async function renewWordsAbout(renewing: Renewing, named: Named): Promise<void> {
  const { metadata, clock } = renewing;
  for (let said = named; ;) {
    await writeWordsAbout(renewing, said);
    // Of changes at the same time the one that writes last sees the one that was made last.
    const now = await metadata.datasets.getUnscoped(named.id, clock());
    if (now === undefined || wordsAbout(now) === wordsAbout(said)) return;
    said = now;
  }
}

async function writeWordsAbout({ metadata, packs, vectors }: Renewing, named: Named): Promise<void> {
  for (const { pack: id, generation } of await metadata.indices.generations([named.id])) {
    const pack = await packs.find(id);
    if (pack !== undefined) await replaceWords(vectors, pack, { named, generation });
  }
}

/** A row of the name says that the other rows of the document are there: it is replaced, never added. */
async function replaceWords(
  vectors: Pick<VectorStore, "rowsOf" | "putDocuments">,
  pack: SpacesOfPack,
  { named, generation }: { named: Named } & Pick<IndexRef, "generation">,
): Promise<void> {
  if (pack.reads === undefined) return;
  const { workspaceId } = named;
  for await (const row of vectors.rowsOf(pack.reads.documents, workspaceId, named.id)) {
    if (row.page !== documentRows.name || row.generation !== generation) continue;
    await vectors.putDocuments(pack, [{ ...row, workspaceId, words: wordsAbout(named) }]);
    return;
  }
}
