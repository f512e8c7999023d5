import { type Manifest, readManifest } from "../manifest.ts";
import { type Move, moveOf, type Range } from "./move.ts";
import { type Rewrite, rewritesIn } from "./rewrites.ts";
import { dataOf, layoutOf, removalOf, type TableLayout } from "./table-layout.ts";

/** A version, after the one before. */
export interface Step {
  readonly manifest: Manifest;
  readonly rewrites: readonly Rewrite[];
}

/** Throws on what is no manifest of the version. */
export function stepOf(bytes: Uint8Array, version: number): Step {
  const manifest = readManifest(bytes);
  if (manifest.version !== version) throw new Error(`the manifest of version ${version} is of ${manifest.version}`);
  return { manifest, rewrites: rewritesIn(bytes) };
}

/** What steps have done to the rows of a layout. */
export interface Walk {
  readonly layout: TableLayout;
  readonly moves: readonly Move[];
  readonly added: readonly Range[];
}

/** Undefined where rows were rewritten of which it is not known which had been removed, or a fragment is another one than it was. */
export function followSteps(before: TableLayout, steps: readonly Step[]): Walk | undefined {
  let layout = before;
  const moves: Move[] = [];
  let added: readonly Range[] = [];
  for (const { manifest, rewrites } of steps) {
    const next = layoutOf(manifest, layout);
    const made = new Set<number>();
    for (const { from, to } of rewrites) {
      const known = from.map((fragment) => {
        const ours = layout.fragments.get(fragment.id);
        return ours?.data === dataOf(fragment) && ours.removal === removalOf(fragment) ? ours : undefined;
      });
      const move = known.every((fragment) => fragment !== undefined) ? moveOf(known, to) : undefined;
      if (move === undefined) return undefined;
      moves.push(move);
      added = added.flatMap((range) => (move.has(range.fragment) ? move.moveRange(range) : [range]));
      for (const { id } of to) made.add(id);
    }
    for (const [id, fragment] of next.fragments) {
      const known = layout.fragments.get(id);
      if (known !== undefined && known.data !== fragment.data) return undefined;
      if (known === undefined && !made.has(id)) added = [...added, { fragment: id, from: 0, to: fragment.rows }];
    }
    added = added.filter(({ fragment }) => next.fragments.has(fragment));
    layout = next;
  }
  return { layout, moves, added };
}
