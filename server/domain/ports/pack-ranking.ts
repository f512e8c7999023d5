import type { PageHit, SpaceRef } from "./vectors.ts";

/** A model pack, as far as searching needs it: its spaces and how their hits become one ranking. */
export interface PackRanking {
  /** Names the pack in answers: `id@version`. */
  readonly id: string;
  readonly spaces: readonly SpaceRef[];
  /** The dense space whose vectors the `embedding_image` items serve. */
  readonly itemSpace: string;
  /** How many hits per space the fusion wants for a given number of results. */
  candidates(limit: number): number;
  /**
   * One ranking out of the hits of the spaces that were searched (by space name), best first. Scores are calibrated
   * to 0..1 and fall along the ranking.
   */
  fuse(hits: ReadonlyMap<string, readonly PageHit[]>): readonly PageHit[];
}
