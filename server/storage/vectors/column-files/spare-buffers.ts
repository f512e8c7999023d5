/**
 * Memory that values were read into, for those that are read next. V8 collects its whole heap each time that so many bytes of buffers
 * have been made, also where as many have been dropped: what a hundred questions read took 100 ms once more, by the collection.
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
