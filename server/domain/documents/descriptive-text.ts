import type { Dataset } from "../datasets/dataset.ts";
import type { Clock } from "../clock.ts";
import type { DatasetStore } from "../ports/datasets.ts";
import type { PackRanking } from "../ports/pack-ranking.ts";
import type { IndexRef, IndexStore } from "../ports/packs.ts";
import type { SpacesOfPack, VectorStore } from "../ports/vector-store.ts";
import { documentRows } from "../ports/vectors.ts";

/** The part of `Domain` that is needed here. */
interface Dependencies {
  readonly metadata: {
    readonly datasets: Pick<DatasetStore, "getUnscoped">;
    readonly indices: Pick<IndexStore, "generations">;
  };
  readonly packs: { find(id: string): Promise<Pick<PackRanking, "id" | "spaces" | "reads"> | undefined> };
  readonly vectors: Pick<VectorStore, "rowsOf" | "putDocuments">;
  readonly clock: Clock;
}

/** The texts that describe a document: the owner's and those of the file. */
type DescriptiveText = Pick<Dataset, "fileName" | "title" | "author" | "metadata">;
type Named = DescriptiveText & Pick<Dataset, "id" | "workspaceId">;

/** For all values of metadata together; more would dilute the words of the name. */
const maxMetadataCharacters = 500;

/** The words of a file name: without its extension, and with spaces for the separators that people use. */
export const wordsOfName = (fileName: string): string =>
  fileName.replace(/\.[a-z0-9]{1,5}$/i, "").replace(/[_\-.+]+/g, " ");

/**
 * All words that describe a document: name and title, author, texts and numbers of its metadata. A word counts
 * once: a title that repeats the name adds nothing.
 */
export function descriptiveWords({ fileName, title, author, metadata }: DescriptiveText): string {
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
 * Updates the words by which a document is found; called when its name or metadata have changed. Pages are not read
 * again. A document that has not been indexed yet gets its words when it is.
 */
export async function updateDescriptiveWords(dependencies: Dependencies, named: Named): Promise<void> {
  const { metadata, clock } = dependencies;
  for (let written = named; ;) {
    await writeWordsAbout(dependencies, written);
    // The dataset is read here so that whichever of several concurrent changes writes last writes the latest state.
    const now = await metadata.datasets.getUnscoped(named.id, clock());
    if (now === undefined || descriptiveWords(now) === descriptiveWords(written)) return;
    written = now;
  }
}

async function writeWordsAbout({ metadata, packs, vectors }: Dependencies, named: Named): Promise<void> {
  for (const { pack: id, generation } of await metadata.indices.generations([named.id])) {
    const pack = await packs.find(id);
    if (pack !== undefined) await replaceWords(vectors, pack, { named, generation });
  }
}

/** Replaces the name's row if there is one and adds none: the row shows that the document's other rows exist. */
async function replaceWords(
  vectors: Pick<VectorStore, "rowsOf" | "putDocuments">,
  pack: SpacesOfPack,
  { named, generation }: { named: Named } & Pick<IndexRef, "generation">,
): Promise<void> {
  if (pack.reads === undefined) return;
  const { workspaceId } = named;
  for await (const row of vectors.rowsOf(pack.reads.documents, workspaceId, named.id)) {
    if (row.page !== documentRows.name || row.generation !== generation) continue;
    await vectors.putDocuments(pack, [{ ...row, workspaceId, words: descriptiveWords(named) }]);
    return;
  }
}
