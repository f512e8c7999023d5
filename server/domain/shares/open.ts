import { isAwaited } from "../datasets/address.ts";
import { type Dataset, originalKey } from "../datasets/dataset.ts";
import type { Domain } from "../domain.ts";
import { forbidden, unavailable, unprocessable } from "../errors.ts";
import { type DatasetId, parseDatasetId, type WorkspaceId } from "../ids.ts";
import { type ItemRef, parseItemId, type RenditionRow } from "../items/item.ts";
import type { BlobStore, ByteRange, OpenBlob } from "../ports/blobs.ts";
import type { RenditionRef } from "../ports/worker.ts";
import type { SharedContent } from "./content.ts";
import { embeddingContent, type EmbeddingFormat } from "./embedding.ts";
import { renditionKey, renditionTypes, renditionVersion } from "./rendition.ts";

export interface OpenShareInput {
  /** Id of a dataset or an item, as the link has it. */
  readonly id: string;
  readonly token: string;
  /** How an embedding is wanted. */
  readonly embedding: EmbeddingFormat;
  /**
   * Called when the link has proved to be valid, with the workspace that it belongs to, before anything is done for it
   * that costs. What it throws is thrown.
   */
  readonly admit?: (workspaceId: WorkspaceId) => void;
}

/** An evicted rendition is made again, so often in one request; after that the store must be broken. */
const maxAttempts = 5;

/**
 * What a share link points to. The token is the only credential. Throws `forbidden` with one and the same sentence
 * for a wrong, expired or foreign token and for what no longer exists, and `unprocessable` for a document that is yet
 * to be fetched.
 */
export async function openShare(domain: Domain, input: OpenShareInput, signal?: AbortSignal): Promise<SharedContent> {
  await domain.shareLinks.verify(input.id, input.token);
  const datasetId = parseDatasetId(input.id);
  if (datasetId !== undefined) return openOriginal(domain, await admitted(domain, datasetId, input));
  const item = parseItemId(input.id);
  if (item === undefined) throw gone();
  const dataset = await admitted(domain, item.datasetId, input);
  const record = await domain.metadata.pages.getItem(item.datasetId, item.page, item.row);
  if (record === undefined) throw gone();
  if (item.row === "embedding_image") return embeddingContent(domain, dataset, item, record.createdAt, input.embedding);
  return openRendition(domain, dataset, { ...item, row: item.row }, record.createdAt, signal);
}

async function admitted({ metadata, clock }: Domain, id: DatasetId, { admit }: OpenShareInput): Promise<Dataset> {
  const dataset = await metadata.datasets.getUnscoped(id, clock());
  if (dataset === undefined) throw gone();
  admit?.(dataset.workspaceId);
  return dataset;
}

const gone = (): Error => forbidden("this link is not valid or has expired; ask for a new one");

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

/** Long enough to follow a redirect; an address that leaks is of no use to anybody else. */
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
  item: ItemRef & { readonly row: RenditionRow },
  modifiedAt: number,
  signal: AbortSignal | undefined,
): Promise<SharedContent> {
  const key = renditionKey(item);
  const size = await rendered(domain, item, key, signal);
  domain.renditionUses.record(key, domain.clock());
  return {
    contentType: renditionTypes[item.row],
    fileName: `${baseName(dataset.fileName)}-page-${item.page}.${item.row}`,
    size,
    etag: `${dataset.sha256.slice(0, 32)}-${item.page}-${item.row}-${renditionVersion}`,
    modifiedAt,
    open: (range) => openCached(domain, item, key, range, signal),
    presign: presigning(domain.blobs, key, renditionTypes[item.row]),
  };
}

/** Makes sure that the rendition is in the cache; its size in bytes. */
async function rendered(
  domain: Domain,
  item: ItemRef & { readonly row: RenditionRow },
  key: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const blob = await domain.blobs.stat(key);
    if (attempt === 0) domain.meter.count("renditions", { result: blob === undefined ? "miss" : "hit" });
    if (blob !== undefined) return blob.size;
    await render(domain, item, signal);
  }
  throw unavailable("the rendition could not be kept; make the rendition cache larger (--cache-bytes)");
}

function render({ tracing, worker }: Domain, item: RenditionRef, signal: AbortSignal | undefined): Promise<void> {
  const { datasetId, page, row } = item;
  return tracing.span("wait for page", { datasetId, page, row }, () => worker.render(item, signal));
}

async function openCached(
  domain: Domain,
  item: ItemRef & { readonly row: RenditionRow },
  key: string,
  range: ByteRange | undefined,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const blob = await domain.blobs.get(key, range);
    if (blob !== undefined) return blob.body;
    await render(domain, item, signal);
  }
  throw unavailable("the rendition could not be kept; make the rendition cache larger (--cache-bytes)");
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
