import type { ByteSource } from "../domain/documents/source.ts";

/** More than any Office document has at its top, embedded objects included. */
const maxDirectorySectors = 64;
/** Each hop covers at least 8 MB of file. */
const maxTableHops = 64;
const endOfChain = 0xff_ff_ff_fe;
const entryBytes = 128;
const rootEntry = 0;
const noEntry = 0xff_ff_ff_ff;

/**
 * Reads the names at the top of a compound file ([MS-CFB]: header 2.2, sector chains 2.3 to 2.5, directory 2.6),
 * which is how Office stored documents before 2007 and stores encrypted ones today. Names in folders below do not
 * count: a Word document may contain a workbook. Undefined if the file is damaged. Reads at most some 200 sectors.
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

/** The file allocation table: returns the sector that follows another. Undefined if the table is damaged. */
function sectorTable(
  header: Buffer,
  sectors: SectorReader,
  size: number,
): (sector: number) => Promise<number | undefined> {
  const perSector = size / 4;
  const inHeader = 109;
  let last: { index: number; bytes: Buffer | undefined } | undefined;

  /**
   * The sector that holds a piece of the table itself: the first ones are listed in the header, the others in a
   * chain.
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

/** The children of the root are a binary tree of directory entries. */
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
    // Bytes of the name with the zero at its end, at most 64.
    const length = Math.min(64, bytes.readUInt16LE(64)) - 2;
    if (length > 0) names.push(bytes.toString("utf16le", 0, length));
    open.push(bytes.readUInt32LE(68), bytes.readUInt32LE(72));
  }
  return names;
}
