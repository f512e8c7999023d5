import type { PackRanking, SecondStage } from "../domain/ports/pack-ranking.ts";
import type { SpaceRef } from "../domain/ports/vectors.ts";
import { explain } from "../ranking/answer/explain.ts";
import { candidates, fuse } from "../ranking/fuse/fusion.ts";
import type { Manifest } from "./manifest.ts";
import { promising } from "../ranking/rerank/promising.ts";
import { weighWords } from "../ranking/answer/explain-words.ts";
import { leaveOut } from "../ranking/parse/leave-out.ts";

/** What searching needs of a pack; loads no graph, nor the modules that run one. */
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
      // Parts that lean on their page are found by it; server/storage/vectors/RESULTS.md has the figures.
      if (space.kind === "text" && space.parts.whole >= 1) return { ...dense, firstPass: "first" };
      if (space.kind !== "model" || space.scoring === "best") return dense;
      return { ...dense, scoring: space.scoring, firstPass: "pooled" };
    }),
    itemSpace: manifest.itemSpace,
    candidates,
    reads: secondStage(id, manifest),
    promising: (found, documents, most) => promising(manifest.fusion, found, { documents, most }),
    fuse: (found, reading) => fuse(manifest.fusion, found, reading),
    weighWords,
    leaveOut,
    explain: (ranked, pages) => explain(manifest.fusion, ranked, pages),
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
