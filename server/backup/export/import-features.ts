import { randomUUID } from "node:crypto";
import { type FeaturePart, featurePrefix, type Features, type IndexOf } from "../../domain/ports/features.ts";
import type { SpaceRef } from "../../domain/ports/vectors.ts";
import { featureCodec } from "../../storage/features/codec.ts";
import { checkRow } from "../../storage/vectors/rows/checked-rows.ts";
import { checkedBytes, damaged } from "./folder.ts";
import { abandonedAfterMs, type ArchivedDataset, max, pathOf } from "./format.ts";
import type { ImportOptions } from "./import-options.ts";

interface Target {
  readonly index: IndexOf;
  readonly spaces: readonly SpaceRef[];
}

export interface ImportedFeatures {
  /** Parts that are stored but not listed in the metadata yet, in order. */
  readonly parts: readonly FeaturePart[];
  /** The pages that have features, with the spaces in which they have none. */
  readonly absentFrom: ReadonlyMap<number, readonly string[]>;
}

/**
 * Stores the exported features of a dataset's pages. The parts are on the garbage list until the metadata lists them.
 */
export async function importFeatures(
  { metadata, blobs, dir, clock, signal }: ImportOptions,
  archived: ArchivedDataset,
  { index, spaces }: Target,
): Promise<ImportedFeatures> {
  const absentFrom = new Map<number, readonly string[]>();
  const parts: FeaturePart[] = [];
  // If several parts have a page, the last one counts.
  for (const [at, file] of [...archived.features.entries()].toReversed()) {
    signal.throwIfAborted();
    const path = pathOf.features(archived.id, at + 1);
    if (file.size > max.featureFileBytes) throw damaged(path, `is larger than ${max.featureFileBytes} bytes`);
    const bytes = Buffer.concat(await Array.fromAsync(checkedBytes(dir, path, file)));
    const features = await readFeatures(path, bytes, { index, spaces });
    const pages = features.pages.toSorted((one, other) => one - other);
    const last = pages.at(-1) ?? 0;
    if (last > archived.itemCount) throw damaged(path, `has features of page ${last}, which there is not`);
    if (pages.every((page) => absentFrom.has(page)))
      throw damaged(path, "has no page that is not in later ones as well");
    for (const [page, absent] of absencesOf(features, spaces)) {
      if (!absentFrom.has(page)) absentFrom.set(page, absent);
    }
    const key = `${featurePrefix(index)}${randomUUID()}.arrow`;
    await metadata.garbage.add([{ kind: "blob", key }], clock() + abandonedAfterMs);
    const stored = await blobs.put(key, only(bytes), signal);
    parts.push({ key, pages, bytes: stored.size, sha256: stored.sha256, table: "" });
  }
  return { parts: parts.toReversed(), absentFrom };
}

async function readFeatures(path: string, bytes: Uint8Array, { index, spaces }: Target): Promise<Features> {
  const features = await featureCodec.decode(spaces, bytes, index).catch((cause: unknown) => {
    if (!(cause instanceof TypeError)) throw cause;
    throw damaged(path, `holds no features of this model pack (${cause.message})`);
  });
  for (const space of spaces) {
    for (const row of features.rows.get(space.name) ?? []) {
      try {
        checkRow(space, row);
      } catch (cause) {
        if (!(cause instanceof TypeError)) throw cause;
        throw damaged(path, `has page ${row.page} as no page of this model pack can be (${cause.message})`);
      }
    }
  }
  return features;
}

/** Spaces without features by page, including pages that have features in every space. */
function absencesOf({ pages, rows }: Features, spaces: readonly SpaceRef[]): Map<number, readonly string[]> {
  const there = spaces.map(({ name }) => ({ name, pages: new Set(rows.get(name)?.map(({ page }) => page)) }));
  return new Map(pages.map((page) => [page, there.flatMap((space) => (space.pages.has(page) ? [] : [space.name]))]));
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
