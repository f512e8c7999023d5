import { createHash } from "node:crypto";
import type { BlobStore } from "../ports/blobs.ts";
import type { FeatureCodec, FeaturePart, Features, FeatureStore, IndexOf } from "../ports/features.ts";
import type { SpaceRef, StoredRow } from "../ports/vectors.ts";

interface FeatureReader {
  readonly blobs: Pick<BlobStore, "get">;
  readonly features: FeatureCodec;
}

/**
 * Reads the features of a part; undefined if its object is missing, has been altered since it was stored, or has
 * features of other spaces.
 */
export async function readPart(
  { blobs, features }: FeatureReader,
  spaces: readonly SpaceRef[],
  { key, sha256 }: Pick<FeaturePart, "key" | "sha256">,
  index: IndexOf,
): Promise<Features | undefined> {
  const blob = await blobs.get(key);
  if (blob === undefined) return undefined;
  const bytes = Buffer.concat(await Array.fromAsync(blob.body));
  if (createHash("sha256").update(bytes).digest("hex") !== sha256) return undefined;
  try {
    return await features.decode(spaces, bytes, index);
  } catch (cause) {
    // The spaces of the pack have changed.
    if (cause instanceof TypeError) return undefined;
    throw cause;
  }
}

/**
 * Reads the row of a page in one of the pack's spaces; undefined if it has none. `isThere` is true if its features
 * can be read.
 */
export async function readPage(
  reader: FeatureReader & { readonly metadata: { readonly features: Pick<FeatureStore, "parts"> } },
  { spaces, name }: { readonly spaces: readonly SpaceRef[]; readonly name: string },
  index: IndexOf,
  page: number,
): Promise<{ readonly isThere: boolean; readonly row?: StoredRow | undefined }> {
  const part = (await reader.metadata.features.parts(index)).findLast(({ pages }) => pages.includes(page));
  const features = part && (await readPart(reader, spaces, part, index));
  const row = features?.rows.get(name)?.find((candidate) => candidate.page === page);
  return { isThere: features !== undefined, row };
}
