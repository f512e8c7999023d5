import { shownName, type DataRange, dataRange } from "../../../formats/zip/entry.ts";
import type { ByteSource } from "../../../domain/ports/formats.ts";
import type { ZipDirectory, ZipEntry } from "../../../formats/zip/directory.ts";
import { broken } from "./refusals.ts";

/** An entry and the range of its data. */
export interface PlacedEntry extends DataRange {
  readonly entry: ZipEntry;
}

/**
 * Returns all entries in the order of their data, and refuses entries that share bytes: with them a small container inflates
 * without bound (D. Fifield, "A better zip bomb", 2019). Throws `DocumentError` and `ArchiveError`.
 */
export async function placeEntries(
  source: ByteSource,
  directory: ZipDirectory,
  signal?: AbortSignal,
): Promise<PlacedEntry[]> {
  checkNames(directory.entries);
  const placed: PlacedEntry[] = [];
  let taken = 0;
  for (const entry of directory.entries.toSorted((a, b) => a.offset - b.offset)) {
    signal?.throwIfAborted();
    if (entry.offset < taken) throw broken("its parts overlap in the zip container");
    const range = await dataRange(source, entry, directory);
    placed.push({ entry, ...range });
    taken = range.end;
  }
  return placed;
}

/** Refuses names that differ only in case: they are one part (ECMA-376 Part 2, 7.2.2.4), and readers disagree which of two counts. */
function checkNames(entries: readonly ZipEntry[]): void {
  const seen = new Set<string>();
  for (const entry of entries) {
    const name = entry.name.toLowerCase();
    if (seen.has(name)) throw broken(`its part ${shownName(entry)} is there twice`);
    seen.add(name);
    if (!isInside(name)) throw broken(`its part ${shownName(entry)} has a name that leads out of the document`);
  }
}

/** Whether a name is relative, without steps upwards, drive letters and control characters. */
function isInside(name: string): boolean {
  return name !== "" && !/^\/|^[a-z]:|\p{Cc}/u.test(name) && !name.split("/").includes("..");
}
