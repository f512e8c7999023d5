import type { Dataset } from "../datasets/dataset.ts";
import type { Domain } from "../domain.ts";
import { unprocessable } from "../errors.ts";
import type { ItemRef } from "../items/item.ts";
import type { ByteRange } from "../ports/blobs.ts";
import type { PackRanking } from "../ports/pack-ranking.ts";
import type { DenseSpace } from "../ports/vectors.ts";
import type { SharedContent } from "./content.ts";

/** `json`: `{model, dimensions, values}`; `binary`: the values as little-endian float32. */
export type EmbeddingFormat = "json" | "binary";

/** The page's vector in the space of the pack that stands for pictures. */
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
  const [vector] = pack ? await domain.vectors.vectorsOf(itemSpace(pack), datasetId, page, index.generation) : [];
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

function itemSpace(pack: PackRanking): DenseSpace {
  const space = pack.spaces.find((candidate) => candidate.name === pack.itemSpace);
  if (space?.kind !== "dense") throw new Error(`pack ${pack.id} has no dense space ${pack.itemSpace}`);
  return space;
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
