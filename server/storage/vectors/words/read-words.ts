import { setImmediate as nextTurn } from "node:timers/promises";
import type { Query, Table, TakeQuery } from "@lancedb/lancedb";
import type { RecordBatch } from "apache-arrow";
import { type DatasetId, parseWorkspaceId, type WorkspaceId } from "../../../domain/ids.ts";
import type { PageKey } from "../../../domain/ports/vectors.ts";
import type { Changes } from "../changes/changes.ts";
import { fewOf } from "../changes/few-changes.ts";
import type { TableLayout } from "../changes/table-layout.ts";
import { parseRowId } from "../filters.ts";
import { bytesOfSegment, type LiveSegment, type NamedRow, type Segment, SegmentWriter } from "./segment.ts";
import { shareTexts } from "../shared-texts.ts";
import { versionOf } from "../standing.ts";
import { TableWords } from "./table-words.ts";
import { createWordNumbers, type WordNumbers } from "./word-numbers.ts";

/** What a table's words were read from, to which what has changed since is added. */
export interface ReadWords {
  readonly version: number;
  readonly bytes: number;
  readonly words: TableWords;
  readonly numbers: WordNumbers;
  /** When all rows were read, by `performance.now`. */
  readonly readAt: number;
  /** How many have gone since then. */
  readonly goneCount: number;
  /** Of the version; undefined: what has changed since is not told by the table. */
  readonly layout: TableLayout | undefined;
}

/** Rows after which others have their turn: some 2 ms. */
const rowsPerTurn = 50;
/** Rows that are sorted together: some 20 ms. */
const rowsPerSegment = 10_000;
const rowsPerTake = 1_000;
/**
 * Then all is read again with the next change: words that are gone leave the memory, and a table that another process has mended
 * may have counted its rows anew.
 */
const readAgainAfterMs = 300_000;

interface Known {
  readonly before: ReadWords | undefined;
  /** Of the version that is to be read; undefined: the table's. */
  readonly layout?: TableLayout | undefined;
  /** Of the rows, by which terms are found on them. */
  readonly keepsTexts: boolean;
  /** Is told how many bytes they take; may throw. */
  readonly makeRoom: (bytes: number) => void;
}

/** All words of the table as it is, or what has changed `before`; undefined if others have written meanwhile. */
export async function readWords(table: Table, known: Known): Promise<ReadWords | undefined> {
  const { before, layout, keepsTexts, makeRoom } = known;
  const version = layout?.version ?? (await versionOf(table));
  const isKept = before !== undefined && performance.now() - before.readAt < readAgainAfterMs && !isWorn(before);
  const asked = { table, version, keepsTexts, makeRoom };
  const read = (isKept ? await readChanges(asked, before) : undefined) ?? (await readAll(asked));
  return read && { ...read, version, bytes: read.words.bytes, layout };
}

/** The same words in the version of the changes; undefined if others have written meanwhile, or all are to be read. */
export async function followWords(
  table: Table,
  { before, keepsTexts, makeRoom }: Known & { readonly before: ReadWords },
  changes: Changes,
): Promise<ReadWords | undefined> {
  const { numbers, words } = before;
  const { layout } = changes;
  const version = layout.version;
  let { goneCount } = before;
  const kept = words.segments.map(({ segment, dead }): LiveSegment => {
    const { addresses, gone } = changes.follow(segment.addresses);
    const fresh = gone.filter((row) => dead?.[row] !== 1);
    goneCount += fresh.length;
    const moved = addresses === segment.addresses ? segment : { ...segment, addresses };
    return { segment: moved, dead: fresh.length === 0 ? dead : withDead(dead, segment.pages.length, fresh) };
  });
  if (isWorn({ words, goneCount })) return undefined;
  const asked = { table, version, keepsTexts, makeRoom };
  const added = await readAdded(asked, before, changes.added());
  const count = added.reduce((sum, { pages }) => sum + pages.length, 0);
  if (count !== changes.addedCount || (await versionOf(table)) !== version) return undefined;
  const segments = await merged([...kept, ...added.map(live)], keepsTexts);
  const followed = new TableWords({ version, numbers, segments, keepsTexts });
  return { ...before, version, words: followed, bytes: followed.bytes, goneCount, layout };
}

/** Whether all is to be read again: words that are gone leave the memory then. */
const isWorn = ({ words, goneCount }: Pick<ReadWords, "words" | "goneCount">): boolean =>
  goneCount > fewOf(words.rowCount);

function withDead(dead: Uint8Array | undefined, rows: number, fresh: readonly number[]): Uint8Array {
  const marks = dead?.slice() ?? new Uint8Array(rows);
  for (const row of fresh) marks[row] = 1;
  return marks;
}

type Read = Omit<ReadWords, "version" | "bytes" | "layout">;

interface Asked extends Pick<Known, "keepsTexts" | "makeRoom"> {
  readonly table: Table;
  /** Of the table. */
  readonly version: number;
}

/** Undefined if others have written before it began. */
async function readAll({ table, version, keepsTexts, makeRoom }: Asked): Promise<Read | undefined> {
  const readAt = performance.now();
  const numbers = createWordNumbers();
  const making = { numbers, keepsTexts, makeRoom: (bytes: number) => makeRoom(bytes + numbers.bytes) };
  let isBegun = false;
  // What is given first is given by the version that gives all.
  const isOfVersion = async (): Promise<boolean> => isBegun || (isBegun = (await versionOf(table)) === version);
  const segments = await segmentsOf(table.query(), making, isOfVersion);
  if (segments === undefined) return undefined;
  const words = new TableWords({ version, numbers, segments: segments.map(live), keepsTexts });
  return { words, numbers, readAt, goneCount: 0 };
}

const live = (segment: Segment): LiveSegment => ({ segment, dead: undefined });

/** Undefined: so much has changed, or others have written meanwhile, that all is to be read. */
async function readChanges(asked: Asked, before: ReadWords): Promise<Read | undefined> {
  const { table, version, keepsTexts } = asked;
  const { numbers, words, readAt, goneCount } = before;
  const { kept, missing } = await compareRows(table, words.segments);
  if (missing.length > words.rowCount / 2) return undefined;
  const added = await readAdded(asked, before, missing);
  const segments = await merged([...kept, ...added.map(live)], keepsTexts);
  if ((await versionOf(table)) !== version) return undefined;
  const read = new TableWords({ version, numbers, segments, keepsTexts });
  const gone = words.rowCount + missing.length - read.rowCount;
  return { words: read, numbers, readAt, goneCount: goneCount + gone };
}

/** Segments of the rows at some addresses, beside those that were there before. */
async function readAdded(
  { table, keepsTexts, makeRoom }: Asked,
  { words, numbers }: ReadWords,
  addresses: readonly bigint[],
): Promise<readonly Segment[]> {
  const added: Segment[] = [];
  for (let from = 0; from < addresses.length; from += rowsPerTake) {
    const held = words.bytes + added.reduce((sum, segment) => sum + bytesOfSegment(segment), 0);
    const rows = table.takeRowIds(addresses.slice(from, from + rowsPerTake));
    const making = { numbers, keepsTexts, makeRoom: (bytes: number) => makeRoom(held + bytes) };
    added.push(...((await segmentsOf(rows, making)) ?? []));
  }
  return added;
}

/** The segments with the rows that are still there, and the addresses of rows that are new. */
async function compareRows(
  table: Table,
  segments: readonly LiveSegment[],
): Promise<{ readonly kept: readonly LiveSegment[]; readonly missing: bigint[] }> {
  const places = new Map<bigint, readonly [segment: number, row: number]>();
  for (const [at, { segment }] of segments.entries()) {
    for (const [row, address] of segment.addresses.entries()) places.set(address, [at, row]);
  }
  const dead = segments.map(({ segment }) => new Uint8Array(segment.pages.length).fill(1));
  const missing: bigint[] = [];
  for await (const rows of table.query().select(["workspaceId"]).withRowId()) {
    for (const address of addressesOf(rows)) {
      const [at = -1, row = -1] = places.get(address) ?? [];
      const ofSegment = dead[at];
      if (ofSegment === undefined) missing.push(address);
      else ofSegment[row] = 0;
    }
    await nextTurn();
  }
  const kept = segments.map(({ segment }, at) => ({
    segment,
    dead: dead[at]?.includes(1) === true ? dead[at] : undefined,
  }));
  return { kept, missing: missing.toSorted((one, other) => (one < other ? -1 : 1)) };
}

/**
 * Segments that are added to the end are joined with those before them that are not much longer, so that there are few; those of
 * which most rows are gone are written again without them.
 */
async function merged(segments: readonly LiveSegment[], keepsTexts: boolean): Promise<readonly LiveSegment[]> {
  const few: LiveSegment[] = [];
  for (const next of segments) {
    let last = isSparse(next) ? await joined([next], keepsTexts) : next;
    for (let before = few.at(-1); before !== undefined && joins(before, last); before = few.at(-1)) {
      last = await joined([before, last], keepsTexts);
      few.pop();
    }
    if (last.segment.pages.length > 0) few.push(last);
  }
  return few;
}

async function joined(segments: readonly LiveSegment[], keepsTexts: boolean): Promise<LiveSegment> {
  const writer = new SegmentWriter(keepsTexts);
  for (const { segment, dead } of segments) writer.addSegment(segment, dead);
  await nextTurn();
  return live(writer.finish());
}

function joins({ segment: before }: LiveSegment, { segment: last }: LiveSegment): boolean {
  const [one, other] = [before.pages.length, last.pages.length];
  return one <= 2 * other && one + other <= rowsPerSegment;
}

const isSparse = ({ segment: { pages }, dead }: LiveSegment): boolean =>
  dead !== undefined && dead.reduce((sum, one) => sum + one, 0) > pages.length / 2;

interface Making extends Pick<Known, "keepsTexts" | "makeRoom"> {
  readonly numbers: WordNumbers;
}

/** Undefined where `goesOn`, which is asked with each part, says that it is not to be. */
async function segmentsOf(
  query: Query | TakeQuery,
  { numbers, keepsTexts, makeRoom }: Making,
  goesOn: () => Promise<boolean> = async () => true,
): Promise<Segment[] | undefined> {
  const segments: Segment[] = [];
  const names = shareNames();
  let writer = new SegmentWriter(keepsTexts);
  let bytes = 0;
  const finish = (): void => {
    const segment = writer.finish();
    segments.push(segment);
    bytes += bytesOfSegment(segment);
    makeRoom(bytes);
    writer = new SegmentWriter(keepsTexts);
  };
  for await (const rows of query.withRowId().select(["id", "workspaceId", "terms"])) {
    if (!(await goesOn())) return undefined;
    for (let from = 0; from < rows.numRows; from += rowsPerTurn) {
      addRows(writer, rows.slice(from, from + rowsPerTurn), { numbers, names });
      if (writer.rowCount >= rowsPerSegment) finish();
      await nextTurn();
    }
  }
  if (writer.rowCount > 0) finish();
  return segments;
}

interface Reading {
  readonly numbers: WordNumbers;
  readonly names: (row: NamedRow) => NamedRow;
}

function addRows(writer: SegmentWriter, rows: RecordBatch, { numbers, names }: Reading): void {
  const [ids, workspaces] = [rows.getChild("id"), rows.getChild("workspaceId")];
  const addresses = addressesOf(rows);
  let row = 0;
  for (const { values, valueOffsets, length } of rows.getChild("terms")?.data ?? []) {
    for (let at = 0; at < length; at++, row++) {
      const page = parseRowId(String(ids?.get(row)));
      const workspaceId = parseWorkspaceId(String(workspaces?.get(row)));
      const address = addresses[row];
      if (page === undefined || workspaceId === undefined || address === undefined) continue;
      writer.addText(names({ address, page, workspaceId }), numbers, values, valueOffsets[at], valueOffsets[at + 1]);
    }
  }
}

/** The rows of a document have its name in common. */
function shareNames(): (row: NamedRow) => NamedRow {
  const [workspaces, datasets] = [shareTexts<WorkspaceId>(), shareTexts<DatasetId>()];
  const generations = shareTexts<PageKey["generation"]>();
  return ({ address, page: { datasetId, page, generation }, workspaceId }) => ({
    address,
    page: { datasetId: datasets(datasetId), page, generation: generations(generation) },
    workspaceId: workspaces(workspaceId),
  });
}

function addressesOf(rows: RecordBatch): BigUint64Array {
  const addresses: unknown = rows.getChild("_rowid")?.toArray();
  return addresses instanceof BigUint64Array ? addresses : new BigUint64Array();
}
