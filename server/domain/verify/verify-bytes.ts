import { createHash } from "node:crypto";
import { convertedKey, type Dataset, originalKey } from "../datasets/dataset.ts";
import type { DatasetId } from "../ids.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { FeaturesOf } from "../ports/features.ts";
import type { Metadata } from "../ports/metadata.ts";
import type { Finding, VerifyContext, VerifyOptions } from "./finding.ts";

/** Rows per query. */
const atOnce = 500;

/** Checks that the bytes of every document are present. */
export async function* verifyDocuments(
  { metadata, blobs }: VerifyContext,
  { deep = false, signal }: VerifyOptions,
): AsyncGenerator<Finding> {
  let after: DatasetId | undefined;
  for (;;) {
    const datasets = await metadata.datasets.all(after, atOnce);
    for (const dataset of datasets) {
      signal.throwIfAborted();
      const found = await documentsOf(blobs, dataset, deep);
      // A document that was deleted meanwhile has no bytes.
      if (found.length > 0 && (await metadata.datasets.getUnscoped(dataset.id, 0)) !== undefined) yield* found;
      yield* verifyFeatures({ metadata, blobs }, dataset.id, deep);
    }
    after = datasets.at(-1)?.id;
    if (datasets.length < atOnce) return;
  }
}

async function* verifyFeatures(
  { metadata, blobs }: Pick<VerifyContext, "metadata" | "blobs">,
  datasetId: DatasetId,
  deep: boolean,
): AsyncGenerator<Finding> {
  for (const index of await metadata.indices.generations([datasetId])) {
    for (const { key, bytes, sha256 } of await metadata.features.parts(index)) {
      const problem = await problemOf(blobs, key, bytes, deep ? sha256 : undefined);
      if (problem === undefined || !(await isListed(metadata, index, key))) continue;
      yield { kind: "features", datasetId, generation: index.generation, key, problem };
    }
  }
}

/** Whether the part is still listed; false if its index or the part itself has been replaced meanwhile. */
async function isListed({ indices, features }: Metadata, index: FeaturesOf, key: string): Promise<boolean> {
  const current = await indices.generations([index.datasetId]);
  if (!current.some(({ generation }) => generation === index.generation)) return false;
  return (await features.parts(index)).some((part) => part.key === key);
}

async function documentsOf(blobs: BlobStore, dataset: Dataset, deep: boolean): Promise<Finding[]> {
  const { id: datasetId, sha256, fileSize, convertedSize } = dataset;
  const found: Finding[] = [];
  // Documents that have yet to be fetched have no bytes.
  if (sha256 !== "") {
    const key = originalKey(dataset);
    const problem = await problemOf(blobs, key, fileSize, deep ? sha256 : undefined);
    if (problem !== undefined) found.push({ kind: "original", datasetId, key, problem });
  }
  if (convertedSize !== null) {
    const key = convertedKey(dataset);
    const problem = await problemOf(blobs, key, convertedSize, undefined);
    if (problem !== undefined) found.push({ kind: "converted", datasetId, key, problem });
  }
  return found;
}

async function problemOf(
  blobs: BlobStore,
  key: string,
  size: number,
  sha256: string | undefined,
): Promise<string | undefined> {
  const stored = await blobs.stat(key);
  if (stored === undefined) return "is missing";
  if (stored.size !== size) return `has ${stored.size} bytes instead of ${size}`;
  if (sha256 === undefined) return undefined;
  const blob = await blobs.get(key);
  if (blob === undefined) return "is missing";
  const hash = createHash("sha256");
  for await (const bytes of blob.body) hash.update(bytes);
  return hash.digest("hex") === sha256 ? undefined : "has other bytes than those that were stored";
}

/** Finds blobs that no row refers to. */
export async function* verifyBlobs(
  { metadata, blobs }: VerifyContext,
  { signal }: VerifyOptions,
): AsyncGenerator<Finding> {
  let listed = new Map<string, number>();
  const strays = async function* (): AsyncGenerator<Finding> {
    for (const key of await metadata.garbage.ownerless([...listed.keys()])) {
      // The blob may have been removed meanwhile, with the row that it belonged to.
      if ((await blobs.stat(key)) !== undefined) yield { kind: "stray blob", key, size: listed.get(key) ?? 0 };
    }
    listed = new Map();
  };
  for await (const { key, size } of blobs.list()) {
    signal.throwIfAborted();
    listed.set(key, size);
    if (listed.size >= atOnce) yield* strays();
  }
  yield* strays();
}
