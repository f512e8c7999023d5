import { readdir } from "node:fs/promises";
import type { Table as ArrowTable, Vector } from "apache-arrow";
import type { IndexOf } from "../../domain/ports/features.ts";
import type { SpaceRef, StoredRow } from "../../domain/ports/vectors.ts";
import { codesOf } from "./coded-rows.ts";
import { float32 } from "./columns.ts";
import { isOfLance } from "./failures.ts";
import { generationFilter, parsePageId } from "./filters.ts";
import { isCoded } from "./schema.ts";
import type { Tables } from "./tables.ts";

/*
 * Until version 36 of the database there was a table for each pack and space, `dense2.PACK.SPACE` or `lexical2.PACK.SPACE`, with the
 * rows of all workspaces. Features that were not kept then are made of these rows.
 */

const earlierName = /^(?:dense|lexical)\d\./;

function nameOf({ kind, pack, name }: SpaceRef): string {
  const encode = (text: string): string =>
    text.replace(/[^a-z0-9-]/gu, (letter) => `_${letter.codePointAt(0)?.toString(16)}_`);
  return `${kind}2.${encode(pack)}.${encode(name)}`;
}

/** The rows of pages of an index; none if there is no such table. */
export async function readEarlier(
  tables: Tables,
  space: SpaceRef,
  index: IndexOf,
  pages: ReadonlySet<number>,
): Promise<readonly StoredRow[]> {
  const name = nameOf(space);
  if (!(await tables.has(name))) return [];
  const numbers = [...pages].map(Number).join(", ");
  const filter = `${generationFilter(index.datasetId, index.generation)} AND page IN (${numbers})`;
  try {
    const table = await tables.open(name);
    return rowsOf(await table.query().where(filter).toArrow(), space, index);
  } catch (cause) {
    if (!isOfLance(cause)) throw cause;
    // One that is damaged has no rows, where its place can be reached: what cannot be read is embedded again.
    await tables.reach();
    return [];
  }
}

function rowsOf(table: ArrowTable, space: SpaceRef, index: IndexOf): StoredRow[] {
  const column = (name: string): Vector | null => table.getChild(name);
  const [ids, terms, first, codes] = [column("id"), column("terms"), column("first"), column("codes")];
  const [vectors, pooled] = [column("vectors"), column("pooled")];
  return Array.from({ length: table.numRows }, (_, at): StoredRow => {
    const page = parsePageId(String(ids?.get(at)));
    if (page === undefined) throw new TypeError("a row that belongs to no page");
    const row = { ...index, page: page.page };
    if (terms !== null) return { ...row, terms: String(terms.get(at)) };
    if (codes !== null) return { ...row, first: float32(first?.get(at)?.toArray()), codes: bytesOf(codes.get(at)) };
    const all = vectorList(vectors?.get(at));
    // Written before there were codes.
    if (space.kind === "dense" && isCoded(space)) return { ...row, ...codesOf(space, all) };
    return pooled === null ? { ...row, vectors: all } : { ...row, vectors: all, pooled: vectorList(pooled.get(at)) };
  });
}

const vectorList = (list: Vector | null | undefined): Float32Array[] =>
  Array.from({ length: list?.length ?? 0 }, (_, at) => float32(list?.get(at)?.toArray()));

function bytesOf(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError("a dense row without its codes");
  return value;
}

/** Whether a folder has tables of that time. */
export async function hasEarlier(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => earlierName.test(name));
}

/** Removes the tables of that time. */
export async function removeEarlier(tables: Tables): Promise<void> {
  for (const name of await Array.fromAsync(tables.list())) if (earlierName.test(name)) await tables.remove(name);
}
