import type { ByteSource } from "../domain/documents/source.ts";

/**
 * Maximum number of directory sectors that are read: more than the top-level entries of any Office document need,
 * embedded objects included.
 */
const maxDirectorySectors = 64;
/** Maximum number of links followed in the chain of table locations. Each link covers at least 8 MB of the file. */
const maxTableHops = 64;
const endOfChain = 0xff_ff_ff_fe;
const entryBytes = 128;
const rootEntry = 0;
const noEntry = 0xff_ff_ff_ff;

/**
 * Reads the top-level names of a compound file ([MS-CFB]: header 2.2, sector chains 2.3 to 2.5, directory 2.6), the
 * format of Office documents before 2007 and of encrypted ones today. Names in nested folders are ignored, since a Word
 * document may contain a workbook. Returns undefined if the file is damaged. Reads about 200 sectors at most.
 */
export async function compoundNames(source: ByteSource): Promise<readonly string[] | undefined> {
  const header = Buffer.from(await source.read(0, 512));
  if (header.length < 512) return undefined;
  const sectorShift = header.readUInt16LE(30);
  if (sectorShift !== 9 && sectorShift !== 12) return undefined;
  const sectors = sectorReader(source, 2 ** sectorShift);

  const directory: Buffer[] = [];
  const table = sectorTable(header, sectors, 2 ** sectorShift);
  const seen = new Set<number>();
  for (let sector = header.readUInt32LE(48); sector !== endOfChain;) {
    if (seen.has(sector)) return undefined;
    seen.add(sector);
    const bytes = await sectors(sector);
    if (bytes === undefined) return undefined;
    directory.push(bytes);
    if (seen.size === maxDirectorySectors) break;
    const next = await table(sector);
    if (next === undefined) return undefined;
    sector = next;
  }
  return topNames(Buffer.concat(directory));
}

type SectorReader = (sector: number) => Promise<Buffer | undefined>;

function sectorReader(source: ByteSource, size: number): SectorReader {
  return async (sector) => {
    // The header takes the place of the first sector.
    const start = (sector + 1) * size;
    if (start + size > source.size) return undefined;
    const bytes = Buffer.from(await source.read(start, start + size));
    return bytes.length === size ? bytes : undefined;
  };
}

/** Reads the file allocation table: returns the sector that follows another, or undefined if the table is damaged. */
function sectorTable(
  header: Buffer,
  sectors: SectorReader,
  size: number,
): (sector: number) => Promise<number | undefined> {
  const perSector = size / 4;
  const inHeader = 109;
  let last: { index: number; bytes: Buffer | undefined } | undefined;

  /**
   * Returns the sector that holds a piece of the table itself. The header lists the first ones, a chain of sectors
   * lists the others.
   */
  async function location(index: number): Promise<number | undefined> {
    if (index < inHeader) return header.readUInt32LE(76 + 4 * index);
    let rest = index - inHeader;
    let sector = header.readUInt32LE(68);
    for (let hops = 0; hops < maxTableHops; hops++) {
      const list = await sectors(sector);
      if (list === undefined) return undefined;
      if (rest < perSector - 1) return list.readUInt32LE(4 * rest);
      rest -= perSector - 1;
      sector = list.readUInt32LE(size - 4);
    }
    return undefined;
  }

  return async (sector) => {
    const index = Math.floor(sector / perSector);
    if (last?.index !== index) {
      const at = await location(index);
      last = { index, bytes: at === undefined ? undefined : await sectors(at) };
    }
    return last.bytes?.readUInt32LE(4 * (sector % perSector));
  };
}

/** Reads the names of the root's children, which are stored as a binary tree of directory entries. */
function topNames(directory: Buffer): string[] {
  const count = Math.floor(directory.length / entryBytes);
  const entry = (index: number): Buffer => directory.subarray(index * entryBytes, (index + 1) * entryBytes);
  const names: string[] = [];
  const seen = new Set<number>([rootEntry]);
  const open = count === 0 ? [] : [entry(rootEntry).readUInt32LE(76)];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (index === noEntry || index >= count || seen.has(index)) continue;
    seen.add(index);
    const bytes = entry(index);
    // The length in bytes includes the terminating zero and is at most 64.
    const length = Math.min(64, bytes.readUInt16LE(64)) - 2;
    if (length > 0) names.push(bytes.toString("utf16le", 0, length));
    open.push(bytes.readUInt32LE(68), bytes.readUInt32LE(72));
  }
  return names;
}
