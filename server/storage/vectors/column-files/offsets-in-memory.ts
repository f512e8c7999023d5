import type { ColumnPage } from "./column-pages.ts";

/** Where the values of pages begin, of those that were asked for lately: 4 bytes a row instead of a second read for each value. */
export interface OffsetsInMemory {
  /** `read` gives the offsets of the page as they are in the file. */
  of(page: ColumnPage, read: () => Promise<Buffer>): Promise<Offsets>;
}

/** Where the value of a row of the page begins; of the number of rows, where the last one ends. */
export type Offsets = (row: number) => number;

export function createOffsetsInMemory(maxBytes: number): OffsetsInMemory {
  /** Those first that were used longest ago. */
  const kept = new Map<ColumnPage, Offsets>();
  let bytes = 0;
  return {
    async of(page, read) {
      const known = kept.get(page);
      if (known !== undefined) {
        kept.delete(page);
        kept.set(page, known);
        return known;
      }
      const offsets = offsetsIn(await read(), page);
      // Another question may have read them meanwhile.
      if (!kept.has(page)) bytes += page.offsets.size;
      kept.set(page, offsets);
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) break;
        kept.delete(oldest);
        bytes -= oldest.offsets.size;
      }
      return offsets;
    },
  };
}

/** Throws if they cannot be those of the page. */
function offsetsIn(bytes: Buffer, { rows, values, offsets: { width } }: ColumnPage): Offsets {
  const offsets: Offsets = (row) => bytes.readUIntLE(row * width, width);
  if (offsets(0) !== 0 || offsets(rows) !== values.size) throw new Error("offsets of something else");
  return offsets;
}
