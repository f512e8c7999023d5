import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { fragmentOf, rowOf } from "../changes/addresses.ts";
import { folderNameOf } from "../folder.ts";
import { manifestName } from "../manifest.ts";
import { versionsFolder } from "../soundness.ts";
import { nameOf } from "../tables.ts";
import { type ColumnFile, createColumnFile } from "./column-file.ts";
import { columnInFragments } from "./fragment-files.ts";
import { createOffsetsInMemory } from "./offsets-in-memory.ts";
import { createSpareBuffers } from "./spare-buffers.ts";

/**
 * A column of bytes of tables in a folder, read where it is: for a hundred values that takes a tenth of what LanceDB does.
 *
 * An address is the number of a fragment and a row of it. Which file has the rows of a fragment is said by the manifest of a version, and
 * neither the file nor its name ever changes. Only a table that was made anew, or mended, counts its versions again, and the manifest may be that of
 * another one than LanceDB has in memory: callers must see by the value itself whose it is.
 */
export interface ColumnFiles {
  /**
   * What is at the addresses in a version of the table, in their order; undefined where it cannot be read so, which is to be asked of
   * LanceDB. Does not throw.
   */
  read(table: Table, version: number, addresses: readonly bigint[]): Promise<readonly (Uint8Array | undefined)[]>;
  /** Takes back a value that was read and that nobody looks at any more: others are read into its memory. */
  reuse(value: Uint8Array): void;
}

/** By fragment. */
type Fragments = ReadonlyMap<number, ColumnFile>;

interface Bound {
  readonly version: number;
  /** None where the version is not written as is known here. */
  readonly fragments: Promise<Fragments>;
}

/** Some two million rows. */
const maxOffsetBytes = 8 * 2 ** 20;
/** What some questions read. */
const maxSpareBytes = 4 * 2 ** 20;

/** Of tables in the folder `root`. */
export function createColumnFiles(root: string, column: string): ColumnFiles {
  const tables = new WeakMap<Table, Bound>();
  const offsets = createOffsetsInMemory(maxOffsetBytes);
  const spares = createSpareBuffers(maxSpareBytes);

  /** Files that an older version has, too, are kept with what is known of them. */
  async function bind(folder: string, version: number, before: Promise<Fragments> | undefined): Promise<Fragments> {
    const known = (await before?.catch(() => undefined)) ?? new Map<number, ColumnFile>();
    const manifest = await readFile(join(versionsFolder(folder), manifestName(version)));
    const files = new Map(known.values().map((file) => [file.path, file]));
    const fragments = new Map<number, ColumnFile>();
    for (const [id, found] of columnInFragments(manifest, { version, column }) ?? []) {
      const path = join(folder, found.path);
      fragments.set(id, files.get(path) ?? createColumnFile(path, found, { offsets, spares }));
    }
    return fragments;
  }

  function fragmentsOf(table: Table, version: number): Promise<Fragments> {
    const known = tables.get(table);
    if (known?.version === version) return known.fragments;
    const bound = { version, fragments: bind(join(root, folderNameOf(nameOf(table))), version, known?.fragments) };
    tables.set(table, bound);
    // The manifest of a version that is old already is not there any more.
    bound.fragments.catch(() => tables.get(table) === bound && tables.delete(table));
    return bound.fragments;
  }

  return {
    async read(table, version, addresses) {
      const values: (Uint8Array | undefined)[] = addresses.map(() => undefined);
      const fragments = await fragmentsOf(table, version).catch(() => undefined);
      if (fragments === undefined) return values;
      const readRows = async (file: ColumnFile | undefined, places: readonly number[]): Promise<void> => {
        const read = await file?.read(places.map((at) => rowOf(addresses[at] ?? 0n))).catch(() => undefined);
        for (const [at, place] of places.entries()) values[place] = read?.[at];
      };
      const places = Map.groupBy(addresses.keys(), (at) => fragments.get(fragmentOf(addresses[at] ?? 0n)));
      await Promise.all(places.entries().map(([file, at]) => readRows(file, at)));
      return values;
    },
    reuse: ({ buffer }) => spares.give(buffer),
  };
}
