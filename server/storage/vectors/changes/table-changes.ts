import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { folderNameOf } from "../folder.ts";
import { type Manifest, manifestName, readManifest } from "../manifest.ts";
import { versionsFolder } from "../soundness.ts";
import { versionOf } from "../standing.ts";
import { nameOf } from "../tables.ts";
import { addressOf, countBelow, rowOf } from "./addresses.ts";
import { type Move, moveOf, type Place, type Range } from "./move.ts";
import { type Rewrite, rewritesIn } from "./rewrites.ts";
import { dataOf, type KnownFragment, layoutOf, removalOf, type TableLayout } from "./table-layout.ts";

/**
 * What versions of a table did to its rows, by their manifests: which rows have come, which are gone, and where the others are. To look at the addresses
 * of 100,000 rows takes a hundred times as long, and folding fragments moves all of them.
 */
export interface TableChanges {
  /** The layout of the version that the table shows; undefined where it is not known. Does not throw. */
  layoutOf(table: Table): Promise<TableLayout | undefined>;
  /** What has changed between a layout and the version that the table shows; undefined where it is not known, or others write meanwhile. Does not throw. */
  since(table: Table, before: TableLayout): Promise<Changes | undefined>;
}

export interface Changes {
  /** Of the version that the table shows. */
  readonly layout: TableLayout;
  readonly addedCount: number;
  /** Addresses of the rows that have come. */
  added(): bigint[];
  /** Where rows of the version before are. */
  follow(addresses: BigUint64Array): Followed;
}

export interface Followed {
  /** The same array where all are as they were. */
  readonly addresses: BigUint64Array;
  /** The places of those that are gone. */
  readonly gone: readonly number[];
}

/** Of layouts, while others write. */
const maxTries = 5;
/** More of them are not followed one by one. */
const maxVersions = 100;

/** Of tables in the folder `root`. */
export function createTableChanges(root: string): TableChanges {
  const manifestOf = (table: Table, version: number): Promise<Buffer> =>
    readFile(join(versionsFolder(join(root, folderNameOf(nameOf(table)))), manifestName(version)));

  /** The last version alone, where no fragment of the one before is gone: what came in between is there or does not matter. */
  async function readSteps(table: Table, before: TableLayout, version: number): Promise<readonly Step[]> {
    const last = stepOf(await manifestOf(table, version), version);
    const ids = new Set(last.manifest.fragments.map(({ id }) => id));
    if (before.fragments.keys().every((id) => ids.has(id))) return [{ ...last, rewrites: [] }];
    const steps: Step[] = [];
    for (let next = before.version + 1; next < version; next++) {
      steps.push(stepOf(await manifestOf(table, next), next));
    }
    return [...steps, last];
  }

  /** Asks the table which rows have been removed, where that is not known. */
  async function completed(table: Table, { version, fragments }: TableLayout): Promise<TableLayout | undefined> {
    const complete = new Map(fragments);
    for (const fragment of fragments.values()) {
      if (fragment.removed !== undefined) continue;
      complete.set(fragment.id, { ...fragment, removed: await removedRows(table, fragment) });
    }
    return (await versionOf(table)) === version ? { version, fragments: complete } : undefined;
  }

  return {
    async layoutOf(table) {
      for (let time = 0; time < maxTries; time++) {
        try {
          const version = await versionOf(table);
          const layout = layoutOf(stepOf(await manifestOf(table, version), version).manifest);
          const complete = await completed(table, layout);
          if (complete !== undefined) return complete;
        } catch {
          // The manifest is not there any more, say.
        }
      }
      return undefined;
    },
    async since(table, before) {
      try {
        const version = await versionOf(table);
        if (version <= before.version || version > before.version + maxVersions) return undefined;
        const walk = followSteps(before, await readSteps(table, before, version));
        const layout = walk && (await completed(table, walk.layout));
        return walk && layout && changesOf(before, layout, walk);
      } catch {
        // A manifest is not there any more, say.
        return undefined;
      }
    },
  };
}

interface Step {
  readonly manifest: Manifest;
  readonly rewrites: readonly Rewrite[];
}

function stepOf(bytes: Uint8Array, version: number): Step {
  const manifest = readManifest(bytes);
  if (manifest.version !== version) throw new Error(`the manifest of version ${version} is of ${manifest.version}`);
  return { manifest, rewrites: rewritesIn(bytes) };
}

interface Walk {
  readonly layout: TableLayout;
  readonly moves: readonly Move[];
  readonly added: readonly Range[];
}

/** Undefined where rows were rewritten of which it is not known which had been removed, or a fragment is another one than it was. */
function followSteps(before: TableLayout, steps: readonly Step[]): Walk | undefined {
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

function changesOf(before: TableLayout, layout: TableLayout, { moves, added }: Walk): Changes {
  const removedIn = ({ fragment, from, to }: Range): number => {
    const removed = layout.fragments.get(fragment)?.removed ?? noRows;
    return countBelow(removed, to) - countBelow(removed, from);
  };
  const left = function* (): Generator<bigint> {
    for (const { fragment, from, to } of added) {
      for (let row = from; row < to; row++) {
        if (!isRemoved(layout, fragment, row)) yield addressOf(fragment, row);
      }
    }
  };
  return {
    layout,
    addedCount: added.reduce((sum, range) => sum + range.to - range.from - removedIn(range), 0),
    added: () => [...left()],
    follow: (addresses) => followed(addresses, { layout, moves, untouched: untouchedIn(before, layout, moves) }),
  };
}

const noRows = new Uint32Array();

/** Also of a fragment that is not there any more. */
function isRemoved({ fragments }: TableLayout, fragment: number, row: number): boolean {
  const removed = fragments.get(fragment)?.removed;
  return removed === undefined || removed[countBelow(removed, row)] === row;
}

/** The fragments whose rows are all where they were. */
function untouchedIn(before: TableLayout, { fragments }: TableLayout, moves: readonly Move[]): ReadonlySet<number> {
  const same = before.fragments.values().filter(({ id, removal }) => {
    const now = fragments.get(id);
    return now !== undefined && now.removal === removal && !moves.some((move) => move.has(id));
  });
  return new Set(same.map(({ id }) => id));
}

interface Following extends Pick<Walk, "layout" | "moves"> {
  readonly untouched: ReadonlySet<number>;
}

function followed(before: BigUint64Array, { layout, moves, untouched }: Following): Followed {
  // Of each address first the lower half: numbers, since BigInt takes many times as long.
  let halves = new Uint32Array(before.buffer, before.byteOffset, 2 * before.length);
  let addresses = before;
  const gone: number[] = [];
  let [last, isSame] = [-1, false];
  for (let at = 0; at < before.length; at++) {
    const fragment = halves[2 * at + 1] ?? 0;
    if (fragment !== last) [last, isSame] = [fragment, untouched.has(fragment)];
    if (isSame) continue;
    const place = placeAfter(moves, { fragment, row: halves[2 * at] ?? 0 });
    if (place === undefined || isRemoved(layout, place.fragment, place.row)) {
      gone.push(at);
      continue;
    }
    if (addresses === before) {
      addresses = before.slice();
      halves = new Uint32Array(addresses.buffer);
    }
    halves[2 * at] = place.row;
    halves[2 * at + 1] = place.fragment;
  }
  return { addresses, gone };
}

/** Undefined: the row had been removed before. */
function placeAfter(moves: readonly Move[], place: Place): Place | undefined {
  let moved: Place | undefined = place;
  for (const move of moves) {
    if (moved !== undefined && move.has(moved.fragment)) moved = move.placeOf(moved);
  }
  return moved;
}

/** Of the version that the table shows. */
async function removedRows(table: Table, { id, rows }: KnownFragment): Promise<Uint32Array> {
  const query = table.query().where(`_rowid >= ${addressOf(id, 0)} AND _rowid < ${addressOf(id + 1, 0)}`);
  const found = await query.withRowId().select([]).toArrow();
  const addresses: unknown = found.getChild("_rowid")?.toArray();
  const isThere = new Uint8Array(rows);
  if (addresses instanceof BigUint64Array) {
    for (const address of addresses) isThere[rowOf(address)] = 1;
  }
  return Uint32Array.from(isThere.keys().filter((row) => isThere[row] === 0));
}
