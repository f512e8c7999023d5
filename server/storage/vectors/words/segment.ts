import type { DatasetId, WorkspaceId } from "../../../domain/ids.ts";
import type { PageKey } from "../../../domain/ports/vectors.ts";
import { createPageMap, type PageMap } from "../page-map.ts";
import { GrowingNumbers } from "./growing-numbers.ts";
import { NumberUnits } from "./number-units.ts";
import type { WordNumbers } from "./word-numbers.ts";

/** Rows of a table with their words: an inverted index, which does not change. */
export interface Segment {
  readonly addresses: BigUint64Array;
  readonly pages: readonly PageKey[];
  readonly rowOf: Pick<PageMap<number>, "get">;
  readonly workspaces: readonly WorkspaceId[];
  /** The workspace of all rows; undefined: they are of several. */
  readonly onlyWorkspace: WorkspaceId | undefined;
  /** The datasets that rows are of, and of each row the place of its own among them. */
  readonly datasets: readonly DatasetId[];
  readonly datasetOf: Uint32Array;
  /** How many words each row has. */
  readonly lengths: Uint32Array;
  /** The numbers of the words that rows have, ascending. */
  readonly words: Uint32Array;
  /** Where the places of each word begin, and at the end how many there are of all. */
  readonly starts: Uint32Array;
  /** By word, the rows that have it, ascending, and how often. */
  readonly rows: Uint32Array;
  readonly counts: Uint16Array;
  /** The words of each row, also those that the index leaves out, in the order of its text (`NumberUnits`); empty if not `keepsTexts`. */
  readonly texts: Uint16Array;
  /** Where those of each row begin, and at the end how many units there are of all. */
  readonly textStarts: Uint32Array;
}

/** A segment with the rows of it that are still there. */
export interface LiveSegment {
  readonly segment: Segment;
  /** 1 of each row that is not; undefined: all are there. */
  readonly dead: Uint8Array | undefined;
}

/** By segment and row, 1 of each that is meant. */
export type RowMarks = readonly Uint8Array[];

/** What a row takes beside its words: names and length, where it is found by its page, and what searches add up for it. */
const bytesPerRow = 184;

export const bytesOfSegment = ({ pages, words, rows, texts }: Segment): number =>
  bytesPerRow * pages.length + 8 * words.length + 6 * rows.length + texts.byteLength;

export interface NamedRow {
  readonly address: bigint;
  readonly page: PageKey;
  readonly workspaceId: WorkspaceId;
}

const largestCount = 0xffff;

/** Takes rows one after another. Numbers of words have to come from one source for all segments that are searched together. */
export class SegmentWriter {
  readonly #addresses: bigint[] = [];
  readonly #pages: PageKey[] = [];
  readonly #rowOf = createPageMap<number>();
  readonly #workspaces: WorkspaceId[] = [];
  readonly #lengths = new GrowingNumbers();
  // A place: a word in a row. Those of a row are beside each other.
  readonly #words = new GrowingNumbers();
  readonly #rows = new GrowingNumbers();
  readonly #counts = new GrowingNumbers();
  /** By word, the place of the row that had it last. */
  readonly #last = new GrowingNumbers();
  readonly #keepsTexts: boolean;
  readonly #texts = new NumberUnits();
  readonly #textStarts = new GrowingNumbers();

  /** `keepsTexts`: whether the words of rows are kept in their order, too. */
  constructor(keepsTexts: boolean) {
    this.#keepsTexts = keepsTexts;
  }

  get rowCount(): number {
    return this.#pages.length;
  }

  /** A row with the words of a text, which `read` takes from one place to another. */
  addText(row: NamedRow, numbers: WordNumbers, bytes: Uint8Array, from: number, to: number): void {
    const place = this.#begin(row);
    const first = this.#words.length;
    let length = 0;
    numbers.read(bytes, from, to, (word, isIndexed) => {
      if (this.#keepsTexts) this.#texts.push(word);
      if (!isIndexed) return;
      length += 1;
      const known = this.#last.at(word);
      if (known >= first && this.#words.at(known) === word) this.#counts.set(known, this.#counts.at(known) + 1);
      else {
        this.#last.set(word, this.#words.length);
        this.#add(word, place, 1);
      }
    });
    this.#lengths.push(length);
  }

  /** The rows of a segment that are not `dead`. */
  addSegment(segment: Segment, dead: Uint8Array | undefined): void {
    const { addresses, pages, workspaces, lengths, words, starts, rows, counts, texts, textStarts } = segment;
    const places = new Uint32Array(pages.length);
    for (const [row, page] of pages.entries()) {
      const [address, workspaceId] = [addresses[row], workspaces[row]];
      if (dead?.[row] === 1 || address === undefined || workspaceId === undefined) continue;
      places[row] = this.#begin({ address, page, workspaceId }) + 1;
      this.#lengths.push(lengths[row] ?? 0);
      this.#texts.append(texts.subarray(textStarts[row], textStarts[row + 1]));
    }
    for (const [at, word] of words.entries()) {
      const end = starts[at + 1] ?? 0;
      for (let place = starts[at] ?? 0; place < end; place++) {
        const row = places[rows[place] ?? 0] ?? 0;
        if (row > 0) this.#add(word, row - 1, counts[place] ?? 0);
      }
    }
  }

  #begin({ address, page, workspaceId }: NamedRow): number {
    this.#addresses.push(address);
    this.#textStarts.push(this.#texts.length);
    this.#workspaces.push(workspaceId);
    this.#rowOf.set(page, this.#pages.length);
    return this.#pages.push(page) - 1;
  }

  #add(word: number, row: number, count: number): void {
    this.#words.push(word);
    this.#rows.push(row);
    this.#counts.push(count);
  }

  finish(): Segment {
    const datasets = new Map<DatasetId, number>();
    for (const { datasetId } of this.#pages) {
      if (!datasets.has(datasetId)) datasets.set(datasetId, datasets.size);
    }
    return {
      addresses: BigUint64Array.from(this.#addresses),
      pages: this.#pages,
      rowOf: this.#rowOf,
      workspaces: this.#workspaces,
      onlyWorkspace: this.#workspaces.every((id) => id === this.#workspaces[0]) ? this.#workspaces[0] : undefined,
      datasets: [...datasets.keys()],
      datasetOf: Uint32Array.from(this.#pages, ({ datasetId }) => datasets.get(datasetId) ?? 0),
      lengths: this.#lengths.values().slice(),
      ...sorted(this.#words.values(), this.#rows.values(), this.#counts.values()),
      texts: this.#texts.values(),
      textStarts: Uint32Array.from([...this.#textStarts.values(), this.#texts.length]),
    };
  }
}

/** Places by their words, sorted by counting; without iterators, which take some times as long. */
function sorted(
  words: Uint32Array,
  rowsOf: Uint32Array,
  countsOf: Uint32Array,
): Pick<Segment, "words" | "starts" | "rows" | "counts"> {
  let largest = 0;
  for (let at = 0; at < words.length; at++) largest = Math.max(largest, words[at] ?? 0);
  const ends = new Uint32Array(largest + 2);
  for (let at = 0; at < words.length; at++) {
    const next = (words[at] ?? 0) + 1;
    ends[next] = (ends[next] ?? 0) + 1;
  }
  const known: number[] = [];
  const starts: number[] = [];
  for (let word = 0; word <= largest; word++) {
    const count = ends[word + 1] ?? 0;
    const start = ends[word] ?? 0;
    if (count > 0) {
      known.push(word);
      starts.push(start);
    }
    ends[word + 1] = start + count;
  }
  const rows = new Uint32Array(words.length);
  const counts = new Uint16Array(words.length);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? 0;
    const place = ends[word] ?? 0;
    ends[word] = place + 1;
    rows[place] = rowsOf[at] ?? 0;
    counts[place] = Math.min(largestCount, countsOf[at] ?? 0);
  }
  return { words: Uint32Array.from(known), starts: Uint32Array.from([...starts, words.length]), rows, counts };
}

/** The place of a word among those of a segment; -1 if no row has it. */
export function placeOfWord({ words }: Segment, word: number): number {
  let [from, to] = [0, words.length - 1];
  while (from <= to) {
    const middle = (from + to) >>> 1;
    const found = words[middle] ?? 0;
    if (found === word) return middle;
    if (found < word) from = middle + 1;
    else to = middle - 1;
  }
  return -1;
}
