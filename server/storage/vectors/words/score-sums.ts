import type { WorkspaceId } from "../../../domain/ids.ts";
import { FoundRows } from "./found-rows.ts";
import type { LiveSegment, RowMarks } from "./segment.ts";

/**
 * What a search adds up for the rows of a table. The next one uses it again: a megabyte of new memory for each question took as long
 * as half of the search.
 */
export class ScoreSums {
  readonly #segments: readonly LiveSegment[];
  /** By segment and row; 0: the row has no word that was asked for. */
  readonly bySegment: readonly Float64Array[];
  readonly #scores: Float32Array;
  readonly #rows: Uint32Array;

  constructor(segments: readonly LiveSegment[]) {
    this.#segments = segments;
    this.bySegment = segments.map(({ segment }) => new Float64Array(segment.pages.length));
    const most = this.bySegment.reduce((sum, { length }) => sum + length, 0);
    // One is written behind the last row that is found.
    [this.#scores, this.#rows] = [new Float32Array(most + 1), new Uint32Array(most + 1)];
  }

  clear(): void {
    for (const sums of this.bySegment) sums.fill(0);
  }

  /** The rows of a workspace that have a sum. `only`: no others. */
  rowsOf(workspaceId: WorkspaceId, only?: RowMarks): FoundRows {
    const ends: number[] = [];
    let count = 0;
    for (const [at, live] of this.#segments.entries()) {
      const found = this.#collect(this.bySegment[at] ?? new Float64Array(), count);
      count = this.#keep(count, found, live, { workspaceId, meant: only?.[at] });
      ends.push(count);
    }
    const segments = this.#segments.map(({ segment }) => segment);
    return new FoundRows(segments, ends, this.#rows.slice(0, count), this.#scores.slice(0, count));
  }

  /** Without a branch, which a processor cannot foretell, it takes half as long. */
  #collect(sums: Float64Array, from: number): number {
    const [scores, rows] = [this.#scores, this.#rows];
    let count = from;
    for (let row = 0; row < sums.length; row++) {
      const sum = sums[row] ?? 0;
      scores[count] = sum;
      rows[count] = row;
      count += Number(sum > 0);
    }
    return count;
  }

  /** Of the rows from one place to another. */
  #keep(from: number, to: number, { segment, dead }: LiveSegment, { workspaceId, meant }: Meant): number {
    if (segment.onlyWorkspace === workspaceId && dead === undefined && meant === undefined) return to;
    const [scores, rows] = [this.#scores, this.#rows];
    let count = from;
    for (let place = from; place < to; place++) {
      const row = rows[place] ?? 0;
      if (meant?.[row] === 0 || dead?.[row] === 1 || segment.workspaces[row] !== workspaceId) continue;
      rows[count] = row;
      scores[count] = scores[place] ?? 0;
      count += 1;
    }
    return count;
  }
}

interface Meant {
  readonly workspaceId: WorkspaceId;
  readonly meant: Uint8Array | undefined;
}
