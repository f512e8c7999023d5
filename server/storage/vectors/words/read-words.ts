import { setImmediate as nextTurn } from "node:timers/promises";
import type { Query, Table, TakeQuery } from "@lancedb/lancedb";
import type { RecordBatch } from "apache-arrow";
import { type DatasetId, parseWorkspaceId, type WorkspaceId } from "../../../domain/ids.ts";
import type { PageKey } from "../../../domain/ports/vectors.ts";
import { parseRowId } from "../filters.ts";
import { bytesOfSegment, type LiveSegment, type NamedRow, type Segment, SegmentWriter } from "./segment.ts";
import { shareTexts } from "../shared-texts.ts";
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
  /** Of the rows, by which terms are found on them. */
  readonly keepsTexts: boolean;
  /** Is told how many bytes they take; may throw. */
  readonly makeRoom: (bytes: number) => void;
}

/** All words of the table as it is, or what has changed `before`; undefined if others have written meanwhile. */
export async function readWords(table: Table, { before, keepsTexts, makeRoom }: Known): Promise<ReadWords | undefined> {
  const version = await table.version();
  const isKept = before !== undefined && performance.now() - before.readAt < readAgainAfterMs;
  const asked = { table, version, keepsTexts, makeRoom };
  const read = (isKept ? await readChanges(asked, before) : undefined) ?? (await readAll(asked));
  return (await table.version()) === version ? { ...read, version, bytes: read.words.bytes } : undefined;
}

type Read = Omit<ReadWords, "version" | "bytes">;

interface Asked extends Omit<Known, "before"> {
  readonly table: Table;
  /** Of the table. */
  readonly version: number;
}

async function readAll({ table, version, keepsTexts, makeRoom }: Asked): Promise<Read> {
  const readAt = performance.now();
  const numbers = createWordNumbers();
  const making = { numbers, keepsTexts, makeRoom: (bytes: number) => makeRoom(bytes + numbers.bytes) };
  const segments = (await segmentsOf(table.query(), making)).map(live);
  return { words: new TableWords({ version, numbers, segments, keepsTexts }), numbers, readAt };
}

const live = (segment: Segment): LiveSegment => ({ segment, dead: undefined });

/** Undefined: so much has changed that all is to be read. */
async function readChanges(
  { table, version, keepsTexts, makeRoom }: Asked,
  before: ReadWords,
): Promise<Read | undefined> {
  const { numbers, words, readAt } = before;
  const { kept, missing } = await compareRows(table, words.segments);
  if (missing.length > words.rowCount / 2) return undefined;
  const added: Segment[] = [];
  for (let from = 0; from < missing.length; from += rowsPerTake) {
    const held = words.bytes + added.reduce((sum, segment) => sum + bytesOfSegment(segment), 0);
    const rows = table.takeRowIds(missing.slice(from, from + rowsPerTake));
    const making = { numbers, keepsTexts, makeRoom: (bytes: number) => makeRoom(held + bytes) };
    added.push(...(await segmentsOf(rows, making)));
  }
  const segments = await merged([...kept, ...added.map(live)], keepsTexts);
  return { words: new TableWords({ version, numbers, segments, keepsTexts }), numbers, readAt };
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

async function segmentsOf(query: Query | TakeQuery, { numbers, keepsTexts, makeRoom }: Making): Promise<Segment[]> {
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
