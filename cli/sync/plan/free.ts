import { basename } from "node:path";
import type { Held } from "../state/record.ts";

/** A dataset whose path now has other content or no file. */
export interface Free {
  readonly path: string;
  readonly held: Held;
  readonly isGone: boolean;
}

/** Datasets that other paths can take over. */
interface FreeDatasets {
  add(free: Free): void;
  /** Takes a dataset with this content for the path, preferably one whose file is gone and one with the same name. */
  take(sha256: string, path: string): Free | undefined;
  /** Returns the datasets of a path that have not been taken. */
  left(path: string): readonly Held[];
}

export function createFree(): FreeDatasets {
  const bySum = new Map<string, Free[]>();
  const byPath = new Map<string, Free[]>();
  return {
    add(free) {
      for (const [map, key] of [
        [bySum, free.held.sha256],
        [byPath, free.path],
      ] as const) {
        const others = map.get(key);
        if (others === undefined) map.set(key, [free]);
        else others.push(free);
      }
    },
    take(sha256, path) {
      const candidates = bySum.get(sha256) ?? [];
      const rank = ({ path: other, isGone }: Free): number =>
        (isGone ? 2 : 0) + (basename(other) === basename(path) ? 1 : 0);
      const [best] = candidates.toSorted((one, other) => rank(other) - rank(one));
      if (best === undefined) return undefined;
      bySum.set(
        sha256,
        candidates.filter((one) => one !== best),
      );
      byPath.set(
        best.path,
        (byPath.get(best.path) ?? []).filter((one) => one !== best),
      );
      return best;
    },
    left: (path) => (byPath.get(path) ?? []).map(({ held }) => held),
  };
}
