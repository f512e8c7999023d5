import type { Fragment, Manifest } from "../manifest.ts";

/** Where the rows of a table are in one version. */
export interface TableLayout {
  readonly version: number;
  /** By number. */
  readonly fragments: ReadonlyMap<number, KnownFragment>;
}

export interface KnownFragment {
  readonly id: number;
  /** Names what it is made of; neither the files nor their names ever change. */
  readonly data: string;
  /** Names the file of the rows that have been removed; undefined: there are none. */
  readonly removal: string | undefined;
  /** With those that have been removed. */
  readonly rows: number;
  /** Rows that have been removed, ascending; undefined: it is not known which. */
  readonly removed: Uint32Array | undefined;
}

/** The layout of a version, with what is known of the one before. */
export function layoutOf({ version, fragments }: Manifest, before?: TableLayout): TableLayout {
  const known = fragments.map((fragment) => knownOf(fragment, before?.fragments.get(fragment.id)));
  return { version, fragments: new Map(known.map((fragment) => [fragment.id, fragment])) };
}

/** What `KnownFragment.data` is of a fragment. */
export const dataOf = ({ files }: Fragment): string =>
  files.flatMap(({ path }) => (isRemoval(path) ? [] : [path])).join(" ");

/** What `KnownFragment.removal` is of a fragment. */
export const removalOf = ({ files }: Fragment): string | undefined => files.map(({ path }) => path).find(isRemoval);

function knownOf(fragment: Fragment, before: KnownFragment | undefined): KnownFragment {
  const { id, physicalRows } = fragment;
  const [data, removal] = [dataOf(fragment), removalOf(fragment)];
  const isKnown = before !== undefined && before.data === data && before.removal === removal;
  const removed = removal === undefined ? new Uint32Array() : isKnown ? before.removed : undefined;
  return { id, data, removal, rows: physicalRows, removed };
}

const isRemoval = (path: string): boolean => path.startsWith("_deletions/");
