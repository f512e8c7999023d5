import { isAwaited } from "../datasets/address.ts";
import { type Dataset, originalKey } from "../datasets/dataset.ts";
import type { Domain } from "../domain.ts";
import { forbidden, invalid, unprocessable, unavailable } from "../errors.ts";
import { type DatasetId, parseDatasetId, type WorkspaceId } from "../ids.ts";
import { parseItemId, isPictureWidth, type PictureWidth, pictureWidths, type ItemRef } from "../items/item.ts";
import type { BlobStore, ByteRange, OpenBlob } from "../ports/blobs.ts";
import type { RenditionRef } from "../ports/worker.ts";
import { openRendered, renditionKey, renditionTypes, renditionVersion, type SharedContent } from "./rendition.ts";
import { readPage } from "../features/read-part.ts";
import type { PackRanking } from "../ports/pack-ranking.ts";
import type { IndexOf } from "../ports/features.ts";

export interface OpenShareInput {
  /** Id of a dataset or an item, as in the link. */
  readonly id: string;
  readonly token: string;
  /** Format of an embedding. */
  readonly embedding: EmbeddingFormat;
  /** Width of a picture, pixels; undefined for the default. */
  readonly width?: number | undefined;
  /**
   * Called with the workspace of the link once the link has proved valid, before any expensive work. Its errors are
   * rethrown.
   */
  readonly admit?: (workspaceId: WorkspaceId) => void;
}

/**
 * Opens the target of a share link. The token is the only credential. Throws `forbidden`, always with the same
 * sentence, for a wrong, expired or foreign token and for a deleted target; `unprocessable` for a document that has
 * yet to be fetched; `invalid` for an unsupported width.
 */
export async function openShare(domain: Domain, input: OpenShareInput, signal?: AbortSignal): Promise<SharedContent> {
  const width = pictureWidthOf(input.width);
  const version = await domain.shareLinks.verify(input.id, input.token);
  const datasetId = version ?? parseDatasetId(input.id);
  const item = parseItemId(input.id);
  if (width !== undefined && item?.row !== "jpg") throw invalid("only the link of a jpg item takes a width");
  if (datasetId !== undefined) return openOriginal(domain, await admitted(domain, datasetId, input));
  if (item === undefined) throw gone();
  const dataset = await admitted(domain, item.datasetId, input);
  const record = await domain.metadata.pages.getItem(item.datasetId, item.page, item.row);
  if (record === undefined) throw gone();
  if (item.row === "embedding_image") return embeddingContent(domain, dataset, item, record.createdAt, input.embedding);
  return openRendition(domain, dataset, { ...item, row: item.row, width }, record.createdAt, signal);
}

/** Throws `invalid` for an unsupported width. */
function pictureWidthOf(width: number | undefined): PictureWidth | undefined {
  if (width === undefined || isPictureWidth(width)) return width;
  throw invalid(`a picture's width is one of ${pictureWidths.join(", ")} pixels`);
}

async function admitted({ metadata, clock }: Domain, id: DatasetId, { admit }: OpenShareInput): Promise<Dataset> {
  const dataset = await metadata.datasets.getUnscoped(id, clock());
  if (dataset === undefined) throw gone();
  admit?.(dataset.workspaceId);
  return dataset;
}

const gone = (): Error =>
  forbidden("this link is not valid or has expired; ask for a new one", { reason: "LINK_INVALID" });

async function openOriginal({ blobs }: Domain, dataset: Dataset): Promise<SharedContent> {
  if (isAwaited(dataset)) throw unprocessable("the document is still being fetched; ask again when its job has ended");
  const key = originalKey(dataset);
  return {
    contentType: dataset.mimeType,
    fileName: dataset.fileName,
    size: dataset.fileSize,
    etag: dataset.sha256,
    modifiedAt: dataset.createdAt,
    open: async (range) => (await openBlob(blobs, key, range)).body,
    presign: presigning(blobs, key, dataset.mimeType),
  };
}

/** Long enough to follow a redirect, and too short for a leaked URL to be of use to anybody else. */
const presignedSeconds = 60;

function presigning({ presign }: BlobStore, key: string, contentType: string): SharedContent["presign"] {
  return (
    presign &&
    ((contentDisposition) => presign(key, { contentType, contentDisposition, expiresInSeconds: presignedSeconds }))
  );
}

async function openRendition(
  domain: Domain,
  dataset: Dataset,
  item: RenditionRef,
  modifiedAt: number,
  signal: AbortSignal | undefined,
): Promise<SharedContent> {
  const { size, open } = await openRendered(domain, item, signal);
  const sized = item.width === undefined ? "" : `-${item.width}`;
  return {
    contentType: renditionTypes[item.row],
    fileName: `${baseName(dataset.fileName)}-page-${item.page}${sized}.${item.row}`,
    size,
    etag: `${dataset.sha256.slice(0, 32)}-${item.page}-${item.row}${sized}-${renditionVersion}`,
    modifiedAt,
    open,
    presign: presigning(domain.blobs, renditionKey(item), renditionTypes[item.row]),
  };
}

async function openBlob(blobs: BlobStore, key: string, range: ByteRange | undefined): Promise<OpenBlob> {
  const blob = await blobs.get(key, range);
  // Deleted between the look-up and now.
  if (blob === undefined) throw gone();
  return blob;
}

function baseName(fileName: string): string {
  return fileName.replace(/\.[^.]*$/, "") || fileName;
}

/** `json`: `{model, dimensions, values}`; `binary`: the values as little-endian float32. */
export type EmbeddingFormat = "json" | "binary";

/** Reads the page's vector in the pack's space for pictures. */
async function embeddingContent(
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
  if (!isThere)
    throw unavailable(`the vector of page ${page} is lost, and is being computed again; try again in a minute`);
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
