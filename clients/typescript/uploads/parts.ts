import { type Bytes, bytesOfMemory, type StoredDocument } from "./bytes.ts";

/** A part of a document that is sent in one request. */
export interface Part {
  /** Number of the part, from 1. */
  readonly partNumber: number;
  readonly size: number;
  readonly bytes: Bytes;
  /** Frees the part's memory when it will not be read again. */
  release(): void;
}

/** Supplies the parts of a document in order. */
export interface PartSupply {
  /** Resolves with the next part, or undefined after the last one. May be called again before it has resolved. */
  next(): Promise<Part | undefined>;
  /** Makes pending and later calls resolve with undefined. */
  cancel(reason?: unknown): void;
}

/** The service's limit of parts. */
export const maxParts = 10_000;

/** Returns the smallest part size, in whole MiB, with which there are not too many parts. */
export function enoughPartBytes(size: number, partBytes: number): number {
  const mebibyte = 2 ** 20;
  return Math.max(partBytes, Math.ceil(size / maxParts / mebibyte) * mebibyte);
}

export function partsOfDocument(document: StoredDocument, partBytes: number): PartSupply {
  let at = 0;
  let partNumber = 0;
  return {
    async next() {
      if (at >= document.size) return undefined;
      const start = at;
      at = Math.min(start + partBytes, document.size);
      partNumber += 1;
      return { partNumber, size: at - start, bytes: document.range(start, at), release: () => undefined };
    },
    cancel() {
      at = document.size;
    },
  };
}

/** Holds in memory as many parts as have not been released, and reuses that memory. */
export function partsOfStream(stream: ReadableStream<Uint8Array>, partBytes: number): PartSupply {
  const reader = stream.getReader();
  const released: Uint8Array[] = [];
  let canceled = false;
  async function* read(): AsyncGenerator<Part, undefined> {
    let rest = new Uint8Array();
    for (let partNumber = 1; ; partNumber += 1) {
      const memory = released.pop() ?? new Uint8Array(partBytes);
      let size = 0;
      while (size < partBytes) {
        if (rest.byteLength === 0) {
          const { done, value } = await reader.read();
          if (canceled) return undefined;
          if (done) break;
          rest = ownBytes(value);
        }
        const taken = rest.subarray(0, partBytes - size);
        memory.set(taken, size);
        size += taken.byteLength;
        rest = rest.subarray(taken.byteLength);
      }
      if (size === 0) return undefined;
      const bytes = bytesOfMemory(memory.subarray(0, size));
      yield { partNumber, size, bytes, release: () => released.push(memory) };
      if (size < partBytes) return undefined;
    }
  }
  const parts = read();
  return {
    next: async () => (await parts.next()).value,
    cancel(reason) {
      canceled = true;
      // Does not wait until a source that is no longer read has been cancelled, which may take any time.
      reader.cancel(reason).catch(() => undefined);
    },
  };
}

/** Returns a piece of a stream as bytes. Throws `TypeError` for anything else, because nothing has checked it before. */
function ownBytes(value: unknown): Uint8Array<ArrayBuffer> {
  if (value instanceof Uint8Array && value.buffer instanceof ArrayBuffer) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  throw new TypeError("the stream must yield Uint8Arrays");
}
