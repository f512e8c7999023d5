import { isSameLine, type Placed, type Run } from "./glyph.ts";
import { inLogicalOrder } from "./logical-order.ts";

/** Runs that are close together on one line of the page. */
export interface Line {
  readonly angle: number;
  readonly base: number;
  readonly size: number;
  readonly start: number;
  readonly end: number;
  /** In reading order. */
  readonly glyphs: readonly Placed[];
  /** The line's position in drawing order: the index of its longest run among all runs. */
  readonly drawn: number;
  readonly isAdded: boolean;
}

/** Lines beside each other, in reading order. */
export type Row = readonly Line[];

/** Maximum ems between runs of one line; columns are further apart. */
const maxGap = 0.4;
/** Maximum overlap of a run with the next, in ems. */
const maxOverlap = 0.25;
/** Maximum nearby runs that are compared with each; there are more if text is drawn over text. */
const maxNeighbours = 32;

/** Maximum product of marks and runs; a page of pointed Hebrew has a hundredth of it. */
const maxComparisons = 20_000_000;

/** Joins runs by their positions, in any drawing order: letters of another font are usually drawn after the rest of the line. */
export function linesOf(all: readonly Run[]): Line[] {
  const { runs, marks } = withoutMarks(all);
  const chains = chainsOf(runs);
  const marksOf = markOwners(chains, marks);
  return chains.map((chain) => lineOf(chain, [...chain, ...(marksOf.get(chain) ?? [])]));
}

/** The runs of a line from left to right, with their positions in drawing order. */
type Chain = readonly Drawn[];

interface Drawn {
  readonly run: Run;
  readonly drawn: number;
}

/**
 * Separates the runs that consist of marks, for example from another font, because they are over their letters, not beside them.
 */
function withoutMarks(all: readonly Run[]): { readonly runs: readonly Drawn[]; readonly marks: readonly Drawn[] } {
  const drawn = all.map((run, index) => ({ run, drawn: index }));
  const isMark = ({ run }: Drawn): boolean => run.glyphs.every((glyph) => glyph.isMark);
  const marks = drawn.filter(isMark);
  return marks.length === 0 || marks.length === drawn.length || marks.length * drawn.length > maxComparisons
    ? { runs: drawn, marks: [] }
    : { runs: drawn.filter((one) => !isMark(one)), marks };
}

/** Assigns marks to the chains that they stand on, or else to the nearest chain. */
function markOwners(chains: readonly Chain[], marks: readonly Drawn[]): ReadonlyMap<Chain, readonly Drawn[]> {
  const owned = new Map<Chain, Drawn[]>();
  for (const mark of marks) {
    const middle = (mark.run.start + mark.run.end) / 2;
    let owner = chains[0];
    let nearest = Infinity;
    for (const chain of chains) {
      const [first, last] = [chain[0]?.run, chain.at(-1)?.run];
      if (first === undefined || last === undefined || first.angle !== mark.run.angle) continue;
      const away = Math.max(0, first.start - middle, middle - last.end) + Math.abs(first.base - mark.run.base);
      if (away < nearest) [nearest, owner] = [away, chain];
    }
    if (owner !== undefined) owned.set(owner, [...(owned.get(owner) ?? []), mark]);
  }
  return owned;
}

function chainsOf(drawn: readonly Drawn[]): readonly Chain[] {
  const runs = drawn.map(({ run }) => run);
  const rights = new Map<number, number>();
  const lefts = new Map<number, number>();
  const link = (left: number, right: number): void => {
    if (rights.has(left) || lefts.has(right)) return;
    rights.set(left, right);
    lefts.set(right, left);
  };
  // Neighbours in drawing order come first, because text may be drawn twice with a small offset.
  runs.forEach((run, at) => {
    const next = runs[at + 1];
    if (next === undefined) return;
    if (gapBetween(run, next) !== undefined) link(at, at + 1);
    else if (gapBetween(next, run) !== undefined) link(at + 1, at);
  });
  for (const { left, right } of nearPairs(runs, rights, lefts)) link(left, right);

  return drawn.flatMap((_, at) => {
    if (lefts.has(at)) return [];
    const chain: Drawn[] = [];
    for (let next: number | undefined = at; next !== undefined; next = rights.get(next))
      chain.push(...drawn.slice(next, next + 1));
    return [chain];
  });
}

/** Builds a line; `parts` are the chain and the marks on it. */
function lineOf(chain: Chain, parts: readonly Drawn[]): Line {
  const longest = chain.reduce((one, other) => (other.run.glyphs.length > one.run.glyphs.length ? other : one));
  const { angle, base, size } = longest.run;
  const runs = chain.map(({ run }) => run);
  return {
    angle,
    base,
    size,
    start: Math.min(...runs.map(({ start }) => start)),
    end: Math.max(...runs.map(({ end }) => end)),
    glyphs: inLogicalOrder(parts.map(({ run }) => run)),
    drawn: longest.drawn,
    isAdded: longest.run.glyphs.every(({ isAdded }) => isAdded),
  };
}

/** Returns the ems between the end of one run and the start of the other; undefined if they are not neighbours on a line. */
function gapBetween(left: Run, right: Run): number | undefined {
  if (!isSameLine(left, right) || right.start <= left.start) return undefined;
  const gap = (right.start - left.end) / Math.max(left.size, right.size);
  return gap >= -maxOverlap && gap <= maxGap ? gap : undefined;
}

/** Returns neighbours that were not drawn one after another, closest first, among runs without a neighbour on that side. */
function nearPairs(
  runs: readonly Run[],
  rights: ReadonlyMap<number, number>,
  lefts: ReadonlyMap<number, number>,
): readonly { readonly left: number; readonly right: number }[] {
  const heads = runs
    .flatMap((_, at) => (lefts.has(at) ? [] : [at]))
    .toSorted((one, other) => startOf(runs, one) - startOf(runs, other));
  const sizes = heads.map((at) => runs[at]?.size ?? 0).toSorted((one, other) => one - other);
  const step = (sizes[sizes.length >> 1] ?? 1) || 1;
  /** Runs from left to right by angle and height. */
  const levels = new Map<string, number[]>();
  for (const at of heads) {
    const run = runs[at];
    if (run === undefined) continue;
    const key = `${run.angle} ${Math.round(run.base / step)}`;
    const level = levels.get(key);
    if (level === undefined) levels.set(key, [at]);
    else level.push(at);
  }
  const pairs: { left: number; right: number; distance: number }[] = [];
  runs.forEach((run, at) => {
    if (rights.has(at)) return;
    const middle = Math.round(run.base / step);
    for (const level of [middle - 1, middle, middle + 1]) {
      const beside = levels.get(`${run.angle} ${level}`) ?? [];
      const from = firstFrom(runs, beside, run.end - 2 * maxOverlap * run.size);
      for (let index = from; index < Math.min(beside.length, from + maxNeighbours); index++) {
        const other = beside[index] ?? at;
        const right = runs[other];
        if (right === undefined || right.start > run.end + maxGap * Math.max(run.size, right.size)) break;
        const gap = gapBetween(run, right);
        if (gap !== undefined) pairs.push({ left: at, right: other, distance: Math.abs(gap) });
      }
    }
  });
  return pairs.toSorted((one, other) => one.distance - other.distance);
}

const startOf = (runs: readonly Run[], at: number): number => runs[at]?.start ?? 0;

/** Returns the index of the first sorted run that begins at `start` or later. */
function firstFrom(runs: readonly Run[], sorted: readonly number[], start: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (startOf(runs, sorted[middle] ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
