/**
 * Memory that values were read into, for those that are read next. V8 collects its whole heap each time that some 64 MB of
 * buffers were made that outlive its small collections, also where as many were dropped: 50 to 140 ms for what a hundred questions read.
 */
export interface SpareBuffers {
  /** With anything in it. */
  take(bytes: number): ArrayBuffer;
  give(buffer: ArrayBufferLike): void;
}

/** Keeps up to so many bytes. */
export function createSpareBuffers(maxBytes: number): SpareBuffers {
  const bySize = new Map<number, ArrayBuffer[]>();
  let bytes = 0;
  return {
    take(size) {
      const spare = bySize.get(size)?.pop();
      if (spare === undefined) return Buffer.allocUnsafeSlow(size).buffer;
      bytes -= size;
      return spare;
    },
    give(buffer) {
      const size = buffer.byteLength;
      if (!(buffer instanceof ArrayBuffer) || bytes + size > maxBytes) return;
      bytes += size;
      const spares = bySize.get(size);
      if (spares === undefined) bySize.set(size, [buffer]);
      else spares.push(buffer);
    },
  };
}
