import { type FileHandle, open } from "node:fs/promises";
import { fileSource } from "../../../formats/sources.ts";
import { openPackage } from "../../../formats/package.ts";
import { readDirectory } from "../../../formats/zip/directory.ts";
import { shownName } from "../../../formats/zip/entry.ts";
import { findFacts, type OfficeFacts } from "./facts.ts";
import { inflateEntry, placeEntries, type Volume } from "./inflate.ts";
import { type PrecheckLimits, precheckLimits } from "./limits.ts";
import { type Reading, readPart } from "./part.ts";
import { broken, refusal } from "./refusals.ts";
import { noCounts } from "./tally.ts";

export interface PrecheckOptions {
  readonly limits?: Partial<PrecheckLimits>;
  readonly signal?: AbortSignal;
}

/**
 * Reads a whole Office file once before a converter sees it: it unpacks every part and verifies its checksum, parses all XML and
 * counts its contents. It refuses files on which converters crash or hang, and files that they would truncate. It keeps no part
 * in memory, and yields to other work after each chunk of 64 kB. Throws `DocumentError` and the signal's reason.
 */
export async function precheckOffice(file: string, { limits, signal }: PrecheckOptions = {}): Promise<OfficeFacts> {
  const handle = await open(file);
  try {
    return await readDocument(handle, { limits: { ...precheckLimits, ...limits }, signal });
  } catch (cause) {
    throw refusal(cause);
  } finally {
    await handle.close();
  }
}

async function readDocument(
  handle: FileHandle,
  { limits, signal }: { limits: PrecheckLimits; signal: AbortSignal | undefined },
): Promise<OfficeFacts> {
  signal?.throwIfAborted();
  const source = await fileSource(handle);
  const directory = await readDirectory(source);
  const office = await openPackage(source, directory);
  if (office === undefined) throw broken("it does not name its main part");
  const placed = await placeEntries(source, directory, signal);

  const finder = findFacts(office);
  const volume: Volume = { compressed: 0, inflated: 0 };
  const reading: Reading = { limits, counts: noCounts(), xmlBytes: 0 };
  for (const place of placed) {
    const part = readPart(place.entry.name, reading, finder.watch(place.entry.name));
    try {
      for await (const chunk of inflateEntry(handle, place, { volume, limits, signal })) part.write(chunk);
      part.end();
    } catch (cause) {
      throw refusal(cause, shownName(place.entry));
    }
  }
  signal?.throwIfAborted();
  const { elements: _, ...counts } = reading.counts;
  return { kind: office.kind, inflatedBytes: volume.inflated, ...counts, ...finder.finish() };
}
