import { runtime } from "#runtime";
import { bytesOfMemory, type StoredDocument } from "./bytes.ts";

/**
 * A document to upload: a path (Node only), a File or Blob, bytes, a stream of bytes, or the http(s) address of a
 * document that the service fetches itself.
 */
export type UploadSource = string | Blob | Uint8Array | ReadableStream<Uint8Array> | URL;

/** The name of a document that came without one. */
export const namelessDocument = "document";

/** Opens everything except streams and addresses. The caller has to close it. */
export async function openSource(source: string | Blob | Uint8Array): Promise<StoredDocument> {
  if (typeof source === "string") return runtime.openPath(source);
  const close = async (): Promise<void> => undefined;
  if (source instanceof Blob) {
    const { fileName, lastModified } = factsOfFile(source);
    return {
      close,
      fileName,
      lastModified,
      mimeType: source.type,
      size: source.size,
      range: (start, end) => source.slice(start, end, source.type),
    };
  }
  return {
    close,
    fileName: namelessDocument,
    lastModified: undefined,
    mimeType: "",
    size: source.byteLength,
    range: (start, end) => bytesOfMemory(source.subarray(start, end)),
  };
}

/** A File is a Blob with a name, whichever library's class it is. */
function factsOfFile(blob: Blob): { fileName: string; lastModified: number | undefined } {
  return {
    fileName: "name" in blob && typeof blob.name === "string" ? blob.name : namelessDocument,
    lastModified: "lastModified" in blob && typeof blob.lastModified === "number" ? blob.lastModified : undefined,
  };
}
