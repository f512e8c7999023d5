import type { PackRanking, SecondStage } from "../domain/ports/pack-ranking.ts";
import type { SpaceRef } from "../domain/ports/vectors.ts";
import type { Manifest } from "./manifest.ts";

/** The settings of a pack that searching needs; loads no graph, nor the modules that run one. */
export function packRanking(manifest: Manifest): PackRanking {
  const id = `${manifest.id}@${manifest.version}`;
  const likened = new Set(manifest.fusion.map(({ feedback }) => feedback?.space));
  return {
    id,
    spaces: manifest.spaces.map((space): SpaceRef => {
      if (space.kind === "lexical") return { kind: "lexical", pack: id, name: space.name };
      const { name, dimensions } = space;
      const dense = { kind: "dense", pack: id, name, dimensions, givesVectors: likened.has(name) } as const;
      if (space.kind === "kinds") return { ...dense, firstPass: "none" };
      // Parts that include their page's vector are found by it; server/storage/vectors/RESULTS.md has the figures.
      if (space.kind === "text" && space.parts.whole >= 1) return { ...dense, firstPass: "first" };
      if (space.kind !== "model" || space.scoring === "best") return dense;
      return { ...dense, scoring: space.scoring, firstPass: "pooled" };
    }),
    itemSpace: manifest.itemSpace,
    reads: secondStage(id, manifest),
    fusion: manifest.fusion,
  };
}

/** Names of spaces in a manifest have no colon. */
function secondStage(pack: string, { fusion }: Manifest): SecondStage | undefined {
  const name = fusion.find(({ ranker }) => ranker !== undefined)?.ranker?.space;
  if (name === undefined) return undefined;
  return {
    words: { kind: "lexical", pack, name },
    documents: { kind: "lexical", pack, name: `${name}:documents`, unit: "document" },
  };
}
