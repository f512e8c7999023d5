import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { folderNameOf } from "../folder.ts";
import { manifestName } from "../manifest.ts";
import { versionsFolder } from "../soundness.ts";
import { versionOf } from "../standing.ts";
import { nameOf } from "../tables.ts";
import { addressOf, rowOf } from "./addresses.ts";
import { type Changes, changesOf } from "./changes.ts";
import { followSteps, type Step, stepOf } from "./steps.ts";
import { type KnownFragment, layoutOf, type TableLayout } from "./table-layout.ts";

/**
 * What versions of a table did to its rows, by their manifests: which rows have come, which are gone, and where the others are. To look at the addresses
 * of 100,000 rows takes 110 ms, and after fragments were folded says nothing: all rows have others.
 */
export interface TableChanges {
  /** The layout of the version that the table shows; undefined where it is not known. Does not throw. */
  layoutOf(table: Table): Promise<TableLayout | undefined>;
  /** What has changed between a layout and the version that the table shows; undefined where it is not known, or others write meanwhile. Does not throw. */
  since(table: Table, before: TableLayout): Promise<Changes | undefined>;
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
    const between = Array.from({ length: version - before.version - 1 }, (_, at) => before.version + 1 + at);
    const steps = between.map(async (next) => stepOf(await manifestOf(table, next), next));
    return [...(await Promise.all(steps)), last];
  }

  /** Asks the table which rows have been removed, where that is not known. */
  async function completed(table: Table, { version, fragments }: TableLayout): Promise<TableLayout | undefined> {
    const complete = fragments.entries().map(async ([id, fragment]) => {
      return [id, { ...fragment, removed: fragment.removed ?? (await removedRows(table, fragment)) }] as const;
    });
    const known = new Map(await Promise.all(complete));
    return (await versionOf(table)) === version ? { version, fragments: known } : undefined;
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
