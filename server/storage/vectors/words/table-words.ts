import type { WorkspaceId } from "../../../domain/ids.ts";
import type { TermsOnPage } from "../../../domain/ports/question-words.ts";
import type { PageKey } from "../../../domain/ports/vectors.ts";
import type { FoundRows } from "./found-rows.ts";
import { ScoreSums } from "./score-sums.ts";
import { findMarked } from "./number-units.ts";
import { bytesOfSegment, type LiveSegment, placeOfWord, type RowMarks, type Segment } from "./segment.ts";
import type { WordNumbers } from "./word-numbers.ts";

/** Words that pages are asked for, and how much they count. */
export interface WeighedTerms {
  readonly terms: readonly string[];
  readonly weight: number;
}

/** What rows have to be like to be found. */
export interface RowConditions {
  /** No others are found. */
  readonly rows: RowMarks;
  /** Count as well, in rows that have a word that was asked for. */
  readonly counting: readonly WeighedTerms[];
}

interface Words extends Pick<TableWords, "version" | "segments" | "keepsTexts"> {
  readonly numbers: WordNumbers;
}

/** Of BM25 (Robertson and Zaragoza, 2009), as LanceDB has them: how soon more of the same word says nothing, and how much length counts. */
const [k1, b] = [1.2, 0.75];

/** All words of a table in one version: finds rows as the full-text index does, with the same scores. */
export class TableWords {
  /** Of the table. */
  readonly version: number;
  readonly #numbers: WordNumbers;
  readonly segments: readonly LiveSegment[];
  readonly rowCount: number;
  /** Whether terms can be found on pages. */
  readonly keepsTexts: boolean;
  /** By segment and row, what the row's length makes of the count of a word. */
  readonly #norms: readonly Float64Array[];
  #sums: ScoreSums | undefined;
  /** By number of a word, which of the terms that are asked for it is, from 1. */
  #asked: Uint16Array | undefined;

  constructor({ version, numbers, segments, keepsTexts }: Words) {
    this.version = version;
    this.keepsTexts = keepsTexts;
    this.#numbers = numbers;
    this.segments = segments;
    let [rows, words] = [0, 0];
    for (const { segment, dead } of segments) {
      for (const [row, length] of segment.lengths.entries()) {
        if (dead?.[row] === 1) continue;
        rows += 1;
        words += length;
      }
    }
    this.rowCount = rows;
    const perWord = words === 0 ? 0 : (k1 * b * rows) / words;
    this.#norms = segments.map(({ segment }) =>
      Float64Array.from(segment.lengths, (length) => k1 * (1 - b) + perWord * length),
    );
  }

  get bytes(): number {
    return this.#numbers.bytes + this.segments.reduce((sum, { segment }) => sum + bytesOfSegment(segment), 0);
  }

  /** Where the row of a page is; undefined: the workspace has none. */
  addressOf(page: PageKey, workspaceId: WorkspaceId): bigint | undefined {
    const { segment, row } = this.#rowOf(page, workspaceId) ?? {};
    return row === undefined ? undefined : segment?.addresses[row];
  }

  #rowOf(page: PageKey, workspaceId: WorkspaceId): { readonly segment: Segment; readonly row: number } | undefined {
    for (const { segment, dead } of this.segments) {
      const row = segment.rowOf.get(page);
      if (row !== undefined && dead?.[row] !== 1 && segment.workspaces[row] === workspaceId) return { segment, row };
    }
    return undefined;
  }

  /** Where pages of a workspace have the terms; undefined of those of which it has no row. */
  findTerms(
    terms: readonly string[],
    pages: readonly PageKey[],
    workspaceId: WorkspaceId,
  ): readonly (TermsOnPage | undefined)[] {
    const words = terms.map((term) => this.#numbers.ofTerm(term) ?? 0);
    // A word that no row of this version has may have a number by now.
    this.#asked ??= new Uint16Array(this.#numbers.count + 1);
    const asked = this.#asked;
    // Backwards: of terms that are the same the first one counts.
    for (let at = words.length - 1; at >= 0; at--) if (words[at] !== 0) asked[words[at] ?? 0] = at + 1;
    const found = pages.map((page) => {
      const { segment, row = 0 } = this.#rowOf(page, workspaceId) ?? {};
      if (segment === undefined) return undefined;
      const { texts, textStarts } = segment;
      const range = [textStarts[row] ?? 0, textStarts[row + 1] ?? 0] as const;
      const { length, places, marks } = findMarked(texts, range, asked);
      return { length, places, asked: marks.map((mark) => mark - 1) };
    });
    for (const word of words) asked[word] = 0;
    return found;
  }

  /** Has a page of the workspace the word? */
  has(term: string, workspaceId: WorkspaceId): boolean {
    const word = this.#numbers.ofIndexed(term);
    if (word === undefined) return false;
    return this.segments.some(({ segment, dead }) => {
      const { rows, workspaces } = segment;
      const [from, to] = placesOf(segment, word);
      for (let place = from; place < to; place++) {
        const row = rows[place] ?? 0;
        if (dead?.[row] !== 1 && workspaces[row] === workspaceId) return true;
      }
      return false;
    });
  }

  /** The rows that have all of the terms but for those that the index leaves out; none where it leaves out all of them. */
  rowsWith(terms: readonly string[]): RowMarks {
    const words = [...new Set(terms.map((term) => this.#numbers.ofIndexed(term)))].filter((word) => word !== 0);
    return this.segments.map(({ segment }) => {
      const marks = new Uint8Array(segment.pages.length);
      if (words.length === 0 || words.includes(undefined)) return marks;
      /** How many of the first words a row has, until it lacks one. */
      const counts = new Uint16Array(marks.length);
      for (const [at, word = 0] of words.entries()) {
        const [from, to] = placesOf(segment, word);
        for (let place = from; place < to; place++) {
          const row = segment.rows[place] ?? 0;
          if (counts[row] === at) counts[row] = at + 1;
        }
      }
      for (let row = 0; row < marks.length; row++) if (counts[row] === words.length) marks[row] = 1;
      return marks;
    });
  }

  /** The pages of a workspace among the rows. */
  *pagesOf(marks: RowMarks, workspaceId: WorkspaceId): Generator<PageKey> {
    for (const [at, { segment, dead }] of this.segments.entries()) {
      const ofSegment = marks[at];
      for (const [row, page] of segment.pages.entries()) {
        if (ofSegment?.[row] === 1 && dead?.[row] !== 1 && segment.workspaces[row] === workspaceId) yield page;
      }
    }
  }

  /** The rows of a workspace that have any of the words, in no order. */
  find(asked: readonly WeighedTerms[], workspaceId: WorkspaceId, conditions?: RowConditions): FoundRows {
    this.#sums ??= new ScoreSums(this.segments);
    this.#sums.clear();
    const sums = this.#sums.bySegment;
    this.#addWords(asked, sums);
    const only = conditions?.rows.map((marks, at) => marks.map((mark, row) => (sums[at]?.[row] === 0 ? 0 : mark)));
    this.#addWords(conditions?.counting ?? [], sums);
    return this.#sums.rowsOf(workspaceId, only);
  }

  #addWords(asked: readonly WeighedTerms[], sums: readonly Float64Array[]): void {
    for (const { terms, weight } of asked) {
      for (const term of terms) {
        const word = this.#numbers.ofIndexed(term);
        if (word !== undefined) this.#addWord(word, weight, sums);
      }
    }
  }

  #addWord(word: number, weight: number, sums: readonly Float64Array[]): void {
    const places = this.segments.map(({ segment }) => placesOf(segment, word));
    const having = this.segments.reduce((sum, live, at) => sum + countLive(live, places[at] ?? none), 0);
    const factor = weight * Math.log1p((this.rowCount - having + 0.5) / (having + 0.5)) * (k1 + 1);
    for (const [at, { segment }] of this.segments.entries()) {
      const [sum, norms, [from, to]] = [sums[at], this.#norms[at], places[at] ?? none];
      if (sum !== undefined && norms !== undefined) addPlaces(segment, [from, to], { factor, norms, sum });
    }
  }
}

type Places = readonly [from: number, to: number];
const none: Places = [0, 0];

function placesOf(segment: Segment, word: number): Places {
  const at = placeOfWord(segment, word);
  return at < 0 ? none : [segment.starts[at] ?? 0, segment.starts[at + 1] ?? 0];
}

function countLive({ segment, dead }: LiveSegment, [from, to]: Places): number {
  if (dead === undefined) return to - from;
  let count = 0;
  for (let place = from; place < to; place++) if (dead[segment.rows[place] ?? 0] !== 1) count += 1;
  return count;
}

interface Weighing {
  readonly factor: number;
  readonly norms: Float64Array;
  readonly sum: Float64Array;
}

function addPlaces({ rows, counts }: Segment, [from, to]: Places, { factor, norms, sum }: Weighing): void {
  for (let place = from; place < to; place++) {
    const row = rows[place] ?? 0;
    const count = counts[place] ?? 0;
    sum[row] = (sum[row] ?? 0) + (factor * count) / (count + (norms[row] ?? 0));
  }
}
