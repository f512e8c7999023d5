import { createHash } from "node:crypto";
import type { FeaturePart, Features, IndexOf } from "../../../domain/ports/features.ts";
import type { SpaceRef } from "../../../domain/ports/vectors.ts";
import type { JobContext } from "../context.ts";

/** The features of a part; undefined if its object is not there, or is not what was stored. */
export async function readPart(
  { blobs, features }: Pick<JobContext, "blobs" | "features">,
  spaces: readonly SpaceRef[],
  { key, sha256 }: Pick<FeaturePart, "key" | "sha256">,
  index: IndexOf,
): Promise<Features | undefined> {
  const blob = await blobs.get(key);
  if (blob === undefined) return undefined;
  const bytes = Buffer.concat(await Array.fromAsync(blob.body));
  if (createHash("sha256").update(bytes).digest("hex") !== sha256) return undefined;
  return features.decode(spaces, bytes, index);
}
