import { read as readInto } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type ColumnPage, type Extent, lengthBytes, readColumnPages } from "./column-pages.ts";
import type { ColumnInFile } from "./fragment-files.ts";
import type { Offsets, OffsetsInMemory } from "./offsets-in-memory.ts";
import type { SpareBuffers } from "./spare-buffers.ts";

/** A column of bytes in a file of Lance. */
export interface ColumnFile {
  readonly path: string;
  /**
   * The values of rows, counted in the file with those that have been removed; undefined where a value is not written as is known here, or
   * cannot be read. Throws if the file is not there.
   */
  read(rows: readonly number[]): Promise<readonly (Uint8Array | undefined)[]>;
}

/** Longer values are not of a table of drs: codes of 2,000 vectors of 1,024 dimensions. */
const maxValueBytes = 2 ** 20;

interface Memory {
  readonly offsets: OffsetsInMemory;
  readonly spares: SpareBuffers;
}

export function createColumnFile(path: string, column: ColumnInFile, { offsets, spares }: Memory): ColumnFile {
  /** None of a file of another format, which is not looked at again: what has been written stays as it is. */
  let pages: readonly ColumnPage[] | undefined;

  /** Where the values of the rows are, with their lengths before them. */
  async function locate(file: FileHandle, rows: readonly number[]): Promise<readonly (Extent | undefined)[]> {
    const known = (pages ??= await pagesIn(file, column));
    const found = rows.map((row) => known.find((page) => page.firstRow <= row && row < page.firstRow + page.rows));
    const begins = new Map<ColumnPage | undefined, Offsets | undefined>();
    const learn = async (page: ColumnPage): Promise<void> => {
      begins.set(page, await offsets.of(page, () => readExtent(file, page.offsets)).catch(() => undefined));
    };
    await Promise.all(new Set(found.filter((page) => page !== undefined)).values().map(learn));
    return found.map((page, at) => {
      const beginOf = begins.get(page);
      if (page === undefined || beginOf === undefined) return undefined;
      const row = (rows[at] ?? 0) - page.firstRow;
      const [from, to] = [beginOf(row), beginOf(row + 1)];
      const isValue = to - from >= lengthBytes && to <= page.values.size && to - from <= maxValueBytes;
      return isValue ? { position: page.values.position + from, size: to - from } : undefined;
    });
  }

  return {
    path,
    async read(rows) {
      if (pages?.length === 0) return rows.map(() => undefined);
      // For one question, since a file that is removed meanwhile would keep its room on disk as long as it is open.
      const file = await open(path);
      try {
        return await readValues(file.fd, await locate(file, rows), spares);
      } finally {
        await file.close();
      }
    },
  };
}

async function pagesIn(file: FileHandle, column: ColumnInFile): Promise<readonly ColumnPage[]> {
  try {
    return await readColumnPages((extent) => readExtent(file, extent), column);
  } catch {
    return [];
  }
}

/** Throws if there is less. */
async function readExtent(file: FileHandle, { position, size }: Extent): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, position);
  if (bytesRead < size) throw new Error(`${bytesRead} bytes instead of ${size}`);
  return buffer;
}

/** All at once, and without a promise for each, which would take as long as reading it. */
function readValues(
  file: number,
  extents: readonly (Extent | undefined)[],
  spares: SpareBuffers,
): Promise<readonly (Uint8Array | undefined)[]> {
  const { promise, resolve } = Promise.withResolvers<readonly (Uint8Array | undefined)[]>();
  const values: (Uint8Array | undefined)[] = extents.map(() => undefined);
  let reading = 0;
  for (const [at, extent] of extents.entries()) {
    if (extent === undefined) continue;
    reading += 1;
    const { position, size } = extent;
    // Each has memory of its own: some stay in memory longer than others.
    const bytes = new DataView(spares.take(size));
    readInto(file, bytes, 0, size, position, (failure, bytesRead) => {
      const isWhole = failure === null && bytesRead === size && bytes.getUint32(0, true) === size - lengthBytes;
      if (isWhole) values[at] = new Uint8Array(bytes.buffer, lengthBytes);
      reading -= 1;
      if (reading === 0) resolve(values);
    });
  }
  if (reading === 0) resolve(values);
  return promise;
}
