import type { DatasetId } from "../../domain/ids.ts";
import type { SpaceRef, StoredRow } from "../../domain/ports/vectors.ts";
import { decodeRows } from "../../storage/vectors/arrow-file.ts";
import { checkRow } from "../../storage/vectors/checked-rows.ts";
import { checkedBytes, damaged } from "./folder.ts";
import { type ArchivedDataset, max, pathOf } from "./format.ts";
import type { ImportOptions } from "./import-options.ts";
import type { IndexedPages } from "./import-pages.ts";

interface Target {
  readonly id: DatasetId;
  readonly generation: string;
  readonly spaces: readonly SpaceRef[];
}

/** Puts the vectors of a dataset as they were exported; the pages that they are of. */
export async function importVectors(
  options: ImportOptions,
  archived: ArchivedDataset,
  { id, generation, spaces }: Target,
): Promise<IndexedPages> {
  const { vectors, workspace, signal } = options;
  const indexed = new Map(spaces.map(({ name }) => [name, new Set<number>()]));
  // Of an earlier dataset of this id, or of an import that was interrupted.
  await vectors.removeDataset(id);
  let last = 0;
  for (const file of archived.vectors) {
    signal.throwIfAborted();
    const path = pathOf.vectors(archived.id, file.number);
    if (file.number <= last) throw damaged(path, "is named twice");
    last = file.number;
    const space = spaces.find(({ name, kind }) => name === file.space && kind === file.kind);
    if (space === undefined) throw damaged(path, `is of a space that the model pack does not have`);
    const rows = (await readRows(options.dir, path, file)).map((row) => ({
      ...row,
      datasetId: id,
      workspaceId: workspace.id,
      generation,
    }));
    const pages = indexed.get(space.name) ?? new Set();
    for (const row of rows) {
      const { page } = row;
      if (page < 1 || page > archived.itemCount) throw damaged(path, `has vectors of page ${page}, which there is not`);
      if (pages.has(page)) throw damaged(path, `has page ${page} a second time`);
      pages.add(page);
      requireSound(path, space, row);
    }
    await vectors.putRows(space, rows);
  }
  return indexed;
}

function requireSound(path: string, space: SpaceRef, row: StoredRow): void {
  try {
    checkRow(space, row);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw damaged(path, `has page ${row.page} as no page of this model pack can be (${cause.message})`);
  }
}

async function readRows(
  dir: string,
  path: string,
  file: { readonly size: number; readonly sha256: string },
): Promise<readonly StoredRow[]> {
  if (file.size > max.vectorFileBytes) throw damaged(path, `is larger than ${max.vectorFileBytes} bytes`);
  const bytes = await Array.fromAsync(checkedBytes(dir, path, file));
  try {
    return await decodeRows(Buffer.concat(bytes));
  } catch {
    throw damaged(path, "holds no rows of an index");
  }
}
