import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { BlobStore } from "../../domain/ports/blobs.ts";
import type { FeaturePart, FeaturesOf, FeatureStore } from "../../domain/ports/features.ts";
import { sha256OfFile } from "../file-digest.ts";
import { ifThere } from "../if-there.ts";
import { writeArchiveFile } from "./folder.ts";
import { type ArchivedDataset, pathOf } from "./format.ts";

interface FeatureExport {
  readonly metadata: { readonly features: Pick<FeatureStore, "parts"> };
  readonly blobs: BlobStore;
  readonly dir: string;
  readonly signal: AbortSignal;
}

/**
 * Copies the parts with the features of an index unchanged. Parts that count for no page are left out, and so are
 * missing or damaged ones, for example of an index that has just been replaced: their pages are embedded again
 * after the import.
 */
export async function exportFeatures(
  context: FeatureExport,
  archivedId: string,
  index: FeaturesOf,
): Promise<ArchivedDataset["features"]> {
  const files: ArchivedDataset["features"] = [];
  for (const part of countingParts(await context.metadata.features.parts(index))) {
    const path = pathOf.features(archivedId, files.length + 1);
    if (await copyPart(context, part, path)) files.push({ size: part.bytes, sha256: part.sha256 });
  }
  return files;
}

/** The parts with a page that no later part has. */
function countingParts(parts: readonly FeaturePart[]): readonly FeaturePart[] {
  const later = new Set<number>();
  const counting = parts.toReversed().filter(({ pages }) => {
    const counts = pages.some((page) => !later.has(page));
    for (const page of pages) later.add(page);
    return counts;
  });
  return counting.toReversed();
}

/** Returns whether the part could be copied. Parts that an interrupted export has copied are not copied again. */
async function copyPart(
  { blobs, dir, signal }: FeatureExport,
  { key, sha256 }: FeaturePart,
  path: string,
): Promise<boolean> {
  if ((await ifThere(sha256OfFile(join(dir, path)))) === sha256) return true;
  const blob = await blobs.get(key);
  if (blob === undefined) return false;
  const stored = await writeArchiveFile(dir, path, blob.body, signal);
  if (stored.sha256 === sha256) return true;
  await rm(join(dir, path));
  return false;
}
