import type { Domain } from "../../domain/domain.ts";
import type { DatasetId } from "../../domain/ids.ts";
import type { SearchScope } from "../../domain/ports/vectors.ts";
import { maxRowAgeMs } from "../retrieve/recent-rows.ts";

/** Enough to see what it is about. */
const maxNamed = 100;

/**
 * Datasets in the scope, the first hundred, that a search may not have found all pages of, because part of the index was
 * lost and is being made again. To be asked after the search, which may be what finds the damage.
 */
export async function incompleteDatasets(
  { metadata, vectors }: Pick<Domain, "metadata" | "vectors">,
  { workspaceId, datasetIds }: Pick<SearchScope, "workspaceId" | "datasetIds">,
  hasFound: boolean,
): Promise<readonly DatasetId[]> {
  const damage = await vectors.damage(maxRowAgeMs);
  // Until it is known which pages are lost, all datasets of the pack may miss some.
  const packs = new Set(damage.filter(({ outcome }) => outcome !== "kept").map(({ space }) => space.pack));
  if (!hasFound) for (const pack of await lostPacks({ metadata, vectors })) packs.add(pack);
  return metadata.indices.incomplete({ workspaceId, datasetIds, packs: [...packs] }, maxNamed);
}

/** Packs that pages are embedded with and that the index has nothing of. */
async function lostPacks({ metadata, vectors }: Pick<Domain, "metadata" | "vectors">): Promise<readonly string[]> {
  const there = new Set(await vectors.packs());
  const lost: string[] = [];
  for (const { id } of await metadata.packs.list()) {
    if (!there.has(id) && (await metadata.indices.hasEmbedded(id))) lost.push(id);
  }
  return lost;
}
