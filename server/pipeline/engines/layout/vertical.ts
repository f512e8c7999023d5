import type { Placed } from "./glyph.ts";

const sign = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3001-\u3011\u30fb\u30fc\uff01-\uff1f]$/u;

/** Minimum and maximum ems between the middles of consecutive signs in a column, and their maximum offset to the side. */
const minPitch = 0.7;
const maxPitch = 1.35;
const maxBeside = 0.3;
/** Minimum signs of a column; fewer may be line numbers. */
const minSigns = 3;
/** The angle of a line that runs down the page. */
const down = -90;

/**
 * Finds vertical Chinese and Japanese text, and rotates its signs into the coordinates of vertical lines, which follow each
 * other from right to left. Signs that were drawn row by row are put one below the other.
 */
export function withColumns(glyphs: readonly Placed[]): readonly Placed[] {
  if (!glyphs.some(isSign)) return glyphs;
  const columns = new Set<Placed>();
  collectColumns(glyphs, columns);
  const { alone, first } = signsAlone(glyphs, columns);
  if (alone.length >= 2 * minSigns) {
    const byColumn = alone.toSorted((one, other) => middleOf(other) - middleOf(one) || other.base - one.base);
    const stacked = stackedOf(byColumn);
    const found = new Set<Placed>();
    collectColumns(stacked, found);
    // Signs in widely spaced rows would also form columns, but they are closer to their neighbours in the row than to those
    // below.
    if (2 * found.size > alone.length && !isCloserBeside(alone, found)) {
      const loose = new Set(alone);
      const order = stacked.filter((glyph) => loose.has(glyph));
      return glyphs.flatMap((glyph, at) => [
        ...(at === first ? order.map((one) => (found.has(one) ? turned(one) : one)) : []),
        ...(loose.has(glyph) ? [] : [columns.has(glyph) ? turned(glyph) : glyph]),
      ]);
    }
  }
  return columns.size === 0 ? glyphs : glyphs.map((glyph) => (columns.has(glyph) ? turned(glyph) : glyph));
}

const isSign = ({ angle, text }: Placed): boolean => angle === 0 && sign.test(text);
const middleOf = ({ start, end }: Placed): number => (start + end) / 2;

function turned(glyph: Placed): Placed {
  const { size, base } = glyph;
  return { ...glyph, angle: down, start: -base - size, end: -base, base: middleOf(glyph) };
}

/** Collects consecutive signs of a column. */
function collectColumns(glyphs: readonly Placed[], columns: Set<Placed>): void {
  let column: Placed[] = [];
  for (const glyph of glyphs) {
    if (glyph.isSpace) continue;
    const last = column.at(-1);
    if (isSign(glyph) && last !== undefined && isBelow(last, glyph)) column.push(glyph);
    else column = isSign(glyph) ? [glyph] : [];
    if (column.length === minSigns) for (const one of column) columns.add(one);
    else if (column.length > minSigns) columns.add(glyph);
  }
}

function isBelow(upper: Placed, lower: Placed): boolean {
  const size = Math.max(upper.size, lower.size);
  const pitch = (upper.base - lower.base) / size;
  return Math.abs(middleOf(upper) - middleOf(lower)) <= maxBeside * size && pitch >= minPitch && pitch <= maxPitch;
}

/** Signs without a neighbour beside them among the glyphs drawn just before and after them. */
function signsAlone(
  glyphs: readonly Placed[],
  columns: ReadonlySet<Placed>,
): { readonly alone: readonly Placed[]; readonly first: number } {
  const isBeside = (one: Placed, other: Placed | undefined): boolean =>
    other !== undefined &&
    !other.isSpace &&
    Math.abs(one.base - other.base) < one.size / 2 &&
    Math.abs(middleOf(one) - middleOf(other)) < maxPitch * one.size;
  const isAlone = (glyph: Placed, at: number): boolean =>
    isSign(glyph) && !columns.has(glyph) && !isBeside(glyph, glyphs[at - 1]) && !isBeside(glyph, glyphs[at + 1]);
  return { alone: glyphs.filter(isAlone), first: glyphs.findIndex(isAlone) };
}

/** Orders each column from its top. `byColumn` is sorted by the middles of signs, which differ a little within a column. */
function stackedOf(byColumn: readonly Placed[]): readonly Placed[] {
  const columns: Placed[][] = [];
  for (const glyph of byColumn) {
    const column = columns.at(-1);
    const head = column?.[0];
    if (column !== undefined && head !== undefined && middleOf(head) - middleOf(glyph) <= maxBeside * glyph.size)
      column.push(glyph);
    else columns.push([glyph]);
  }
  return columns.flatMap((column) => column.toSorted((one, other) => other.base - one.base));
}

function isCloserBeside(alone: readonly Placed[], columns: ReadonlySet<Placed>): boolean {
  const byRow = alone.toSorted((one, other) => other.base - one.base || one.start - other.start);
  const pitches = byRow.flatMap((glyph, index) => {
    const next = byRow[index + 1];
    if (next === undefined || !columns.has(glyph) || Math.abs(next.base - glyph.base) > glyph.size / 4) return [];
    return [(next.start - glyph.start) / glyph.size];
  });
  const usual = pitches.toSorted((one, other) => one - other)[pitches.length >> 1];
  return usual !== undefined && usual < maxPitch;
}
