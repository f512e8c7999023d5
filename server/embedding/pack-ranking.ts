import type { PackRanking, SecondStage } from "../domain/ports/pack-ranking.ts";
import type { SpaceRef } from "../domain/ports/vectors.ts";
import type { Manifest } from "./manifest.ts";

/** Returns the settings of a pack that searches need. Loads no graph and none of the modules that run graphs. */
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
      // The first pass searches page vectors alone, because parts that include their page's vector are close to it;
      // server/storage/vectors/RESULTS.md has the figures.
      if (space.kind === "text" && space.parts.whole >= 1) return { ...dense, firstPass: "first" };
      if (space.kind !== "model" || space.scoring === "best") return dense;
      return { ...dense, scoring: space.scoring, firstPass: "pooled" };
    }),
    itemSpace: manifest.itemSpace,
    reads: secondStage(id, manifest),
    fusion: manifest.fusion,
  };
}

/** Returns the spaces of the second stage. The colon avoids clashes, because names of spaces in a manifest have none. */
function secondStage(pack: string, { fusion }: Manifest): SecondStage | undefined {
  const name = fusion.find(({ ranker }) => ranker !== undefined)?.ranker?.space;
  if (name === undefined) return undefined;
  return {
    words: { kind: "lexical", pack, name },
    documents: { kind: "lexical", pack, name: `${name}:documents`, unit: "document" },
  };
}
