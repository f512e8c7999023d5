import type { Dataset } from "../datasets/dataset.ts";
import type { Domain } from "../domain.ts";
import { unavailable, unprocessable } from "../errors.ts";
import { readPage } from "../features/read-part.ts";
import type { ItemRef } from "../items/item.ts";
import type { ByteRange } from "../ports/blobs.ts";
import type { PackRanking } from "../ports/pack-ranking.ts";
import type { IndexOf } from "../ports/features.ts";
import type { SharedContent } from "./rendition.ts";

/** `json`: `{model, dimensions, values}`; `binary`: the values as little-endian float32. */
export type EmbeddingFormat = "json" | "binary";

/** Reads the page's vector in the pack's space for pictures. */
export async function embeddingContent(
  domain: Domain,
  dataset: Dataset,
  item: ItemRef,
  modifiedAt: number,
  format: EmbeddingFormat,
): Promise<SharedContent> {
  const { datasetId, page } = item;
  const index = await domain.metadata.packs.ofDataset(datasetId);
  const pack = index && (await domain.packs.find(index.pack));
  const vector =
    pack && (await readVector(domain, pack, { ...dataset, datasetId, generation: index.generation }, page));
  if (pack === undefined || vector === undefined) {
    throw unprocessable(`page ${item.page} shows nothing that the model could embed`);
  }
  const bytes = format === "json" ? asJson(pack.id, vector) : asFloats(vector);
  const base = dataset.fileName.replace(/\.[^.]*$/, "");
  return {
    contentType: format === "json" ? "application/json" : "application/octet-stream",
    fileName: `${base}-page-${item.page}-embedding.${format === "json" ? "json" : "f32"}`,
    size: bytes.byteLength,
    etag: `${dataset.sha256.slice(0, 32)}-${item.page}-${format}-${pack.id}`,
    modifiedAt,
    open: async (range) => pieces(bytes, range),
  };
}

/** The vector of the whole page; undefined if it has none. */
async function readVector(
  domain: Domain,
  pack: PackRanking,
  { datasetId, workspaceId, generation }: IndexOf,
  page: number,
): Promise<Float32Array | undefined> {
  const { isThere, row } = await readPage(
    domain,
    { spaces: pack.spaces, name: pack.itemSpace },
    { datasetId, workspaceId, generation },
    page,
  );
  if (!isThere) throw unavailable(`the vector of page ${page} is lost, and is being made again; try again in a minute`);
  if (row === undefined || "terms" in row) return undefined;
  return "first" in row ? row.first : row.vectors[0];
}

function asJson(model: string, vector: Float32Array): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ model, dimensions: vector.length, values: Array.from(vector) }));
}

function asFloats(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(vector.length * 4);
  const view = new DataView(bytes.buffer);
  vector.forEach((value, index) => view.setFloat32(index * 4, value, true));
  return bytes;
}

async function* pieces(bytes: Uint8Array, range: ByteRange | undefined): AsyncGenerator<Uint8Array> {
  yield range === undefined ? bytes : bytes.subarray(range.start, range.end + 1);
}
