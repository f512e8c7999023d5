import type { DatasetId } from "../../../domain/ids.ts";
import type { PageKey } from "../../../domain/ports/vectors.ts";
import type { Segment } from "./segment.ts";

/** Rows of a table with their scores, in the order of its segments. */
export class FoundRows {
  readonly #segments: readonly Segment[];
  /** Of each segment, where its rows end among these. */
  readonly #ends: readonly number[];
  /** In its segment, of each. */
  readonly #rows: Uint32Array;
  readonly scores: Float32Array;

  constructor(segments: readonly Segment[], ends: readonly number[], rows: Uint32Array, scores: Float32Array) {
    this.#segments = segments;
    this.#ends = ends;
    this.#rows = rows;
    this.scores = scores;
  }

  page(at: number): PageKey {
    const page = this.#segments[this.#ends.findIndex((end) => at < end)]?.pages[this.#rows[at] ?? -1];
    if (page === undefined) throw new RangeError(`no row at ${at}`);
    return page;
  }

  /** Those of the datasets that are meant. */
  of(isMeant: (datasetId: DatasetId) => boolean): FoundRows {
    const [rows, scores] = [new Uint32Array(this.#rows.length), new Float32Array(this.#rows.length)];
    const ends: number[] = [];
    let [at, count] = [0, 0];
    for (const [place, { datasets, datasetOf }] of this.#segments.entries()) {
      const meant = Uint8Array.from(datasets, (id) => (isMeant(id) ? 1 : 0));
      for (const end = this.#ends[place] ?? 0; at < end; at++) {
        const row = this.#rows[at] ?? 0;
        if (meant[datasetOf[row] ?? 0] !== 1) continue;
        rows[count] = row;
        scores[count] = this.scores[at] ?? 0;
        count += 1;
      }
      ends.push(count);
    }
    return new FoundRows(this.#segments, ends, rows.slice(0, count), scores.slice(0, count));
  }
}
