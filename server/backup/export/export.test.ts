import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newDatasetId } from "../../domain/ids.ts";
import type { BlobStore } from "../../domain/ports/blobs.ts";
import type { FeaturePart } from "../../domain/ports/features.ts";
import { openBlobs } from "../../storage/blobs/open.ts";
import { exportFeatures } from "./export.ts";

const index = { datasetId: newDatasetId(), generation: "g" };
let folder: string;
let blobs: BlobStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-export-features-"));
  blobs = await openBlobs({ url: undefined, dataDir: join(folder, "data") });
});
afterEach(async () => {
  await blobs.close();
  await rm(folder, { recursive: true });
});

async function stored(name: string, pages: readonly number[]): Promise<FeaturePart> {
  const key = `features/${index.datasetId}/g/${name}.arrow`;
  const { size, sha256 } = await blobs.put(key, only(Buffer.from(name)));
  return { key, pages, bytes: size, sha256, table: "" };
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function exported(...parts: readonly FeaturePart[]): Promise<readonly string[]> {
  const dir = join(folder, "export");
  const options = { metadata: { features: listOf(parts) }, blobs, dir, signal: AbortSignal.timeout(10_000) };
  const files = await exportFeatures(options, index.datasetId, index);
  const path = join(dir, "features", index.datasetId);
  const names = (await readdir(path)).toSorted();
  expect(names).toEqual(files.map((_, at) => `00000${at + 1}.arrow`));
  const bytes = await Promise.all(names.map((name) => readFile(join(path, name))));
  const entries = bytes.map((part) => ({ size: part.length, sha256: createHash("sha256").update(part).digest("hex") }));
  expect(files).toEqual(entries);
  return bytes.map(String);
}

const listOf = (parts: readonly FeaturePart[]) => ({ parts: () => Promise.resolve(parts) });

test("parts that count for no page are left out", async () => {
  const all = await stored("all", [1, 2, 3]);
  const two = await stored("two", [2]);
  const others = await stored("others", [1, 3, 4]);
  expect(await exported(all, two, others)).toEqual(["two", "others"]);
});

test("missing or damaged parts are left out, and nothing of them is in the folder", async () => {
  const first = await stored("first", [1]);
  const gone = await stored("gone", [2]);
  await blobs.remove(gone.key);
  const damaged = { ...(await stored("damaged", [3])), sha256: first.sha256 };
  const last = await stored("last", [4]);
  expect(await exported(first, gone, last, damaged)).toEqual(["first", "last"]);
  // Resumed after an interruption.
  expect(await exported(first, gone, last, damaged)).toEqual(["first", "last"]);
});
