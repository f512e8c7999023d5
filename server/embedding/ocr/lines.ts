import { disjointSets, join, rootOf } from "../mask/disjoint-sets.ts";
import { componentsOf, type Mask } from "../mask/components.ts";

/** A rectangle of pixels; right and bottom are outside of it. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Maximum runs of a page. A page with more is noise or a screen of dots; a page of small print has a tenth as many. */
const maxRuns = 1_000_000;

/** Returns the boxes of connected ink, corners included. Pages of noise have none. */
export function inkBoxes(ink: Mask): Box[] {
  return componentsOf(ink, maxRuns).map(({ left, top, width, height }) => ({
    left,
    top,
    right: left + width,
    bottom: top + height,
  }));
}

/** A line of text, or a piece of one between columns. Its rows fall or rise by `slope` from its left edge. */
export interface Line extends Box {
  readonly slope: number;
  /** The number of its letters; letters that touch count once. */
  readonly letters: number;
}

/** Heights of letters in pixels: smaller ones are hardly legible, and larger ones are a picture or a poster. */
const minHeight = 5;
const maxHeight = 160;
/** Maximum width divided by height: a word in script is one piece, a rule is longer still. */
const maxAspect = 25;
const ruleHeight = 6;
const ruleAspect = 8;
/** Neighbours in a line differ in height by at most this factor, and share this much of the lower one's rows. */
const maxHeightRatio = 2.4;
const minOverlap = 0.5;
/** Maximum space between two words, in heights of the taller one; the space between columns is wider. */
const maxGap = 1.6;
/** Maximum height of a comma or hyphen, as a share of a letter's height. */
const smallShare = 0.6;
/** Height in pixels of the buckets of rows in which neighbours are searched. */
const bucketHeight = 16;
/** Maximum candidates examined to the right: a neighbour is among the first few, or hidden behind noise. */
const maxLooks = 48;
/**
 * Maximum letters of a page. A page with more is a screen of dots, not text; a page of small print has less than half as many.
 */
const maxLetters = 40_000;
/**
 * Maximum lines of a page. A newspaper page has about half as many. If there are more, the lines with the most letters remain.
 */
const maxLines = 2_000;

/** Returns the boxes that may be letters by their size and shape. */
export function lettersAmong(boxes: readonly Box[]): Box[] {
  const letters: Box[] = [];
  for (const box of boxes) {
    const width = box.right - box.left;
    const height = box.bottom - box.top;
    if (height < minHeight || height > maxHeight || width > maxAspect * height) continue;
    if (height <= ruleHeight && width > ruleAspect * height) continue;
    if (width <= ruleHeight && height > 2 * ruleAspect * width) continue;
    if (letters.push(box) === maxLetters) break;
  }
  return letters;
}

/**
 * Joins letters into lines: each is joined to its nearest neighbour to the right that has about the same size and height on
 * the page, corrected for `skew`.
 */
export function linesOf(letters: readonly Box[], skew: number): Line[] {
  const straight = letters.map((box) => straightened(box, skew)).toSorted((one, other) => one.left - other.left);
  const sets = disjointSets(straight.length);
  const buckets = inBuckets(straight);
  straight.forEach((box, index) => {
    for (const neighbour of neighboursOf(box, index, straight, buckets)) join(sets, index, neighbour);
  });
  const groups = new Map<number, Box[]>();
  straight.forEach((box, index) => {
    const root = rootOf(sets, index);
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [box]);
    else group.push(box);
  });
  const longest = [...groups.values()].toSorted((one, other) => other.length - one.length).slice(0, maxLines);
  return withoutParts(longest.map((group) => lineOf(group, skew)));
}

/** Moves a box up or down to where it would be if the page were straight, seen from the page's left edge. */
function straightened({ left, top, right, bottom }: Box, skew: number): Box {
  const shift = (skew * (left + right)) / 2;
  return { left, top: top - shift, right, bottom: bottom - shift };
}

/** The indices of the letters in each stripe of rows, from the left. */
function inBuckets(letters: readonly Box[]): Map<number, number[]> {
  const buckets = new Map<number, number[]>();
  letters.forEach(({ top, bottom }, index) => {
    for (let row = Math.floor(top / bucketHeight); row <= Math.floor(bottom / bucketHeight); row += 1) {
      const bucket = buckets.get(row);
      if (bucket === undefined) buckets.set(row, [index]);
      else bucket.push(index);
    }
  });
  return buckets;
}

/** Returns the nearest box to the right and, if that is only a comma, the nearest letter as well. */
function neighboursOf(
  box: Box,
  index: number,
  letters: readonly Box[],
  buckets: ReadonlyMap<number, readonly number[]>,
): number[] {
  const height = box.bottom - box.top;
  const found: number[] = [];
  let nearestLeft = Infinity;
  for (let row = Math.floor(box.top / bucketHeight); row <= Math.floor(box.bottom / bucketHeight); row += 1) {
    const bucket = buckets.get(row) ?? [];
    let at = firstAfter(bucket, index);
    for (const end = Math.min(bucket.length, at + maxLooks); at < end; at += 1) {
      const number = bucket[at] ?? 0;
      const other = letters[number];
      if (other === undefined || other.left > box.right + maxGap * maxHeightRatio * height || other.left >= nearestLeft)
        break;
      if (!areNeighbours(box, other)) continue;
      found.push(number);
      if (other.bottom - other.top > smallShare * height) nearestLeft = other.left;
    }
  }
  return found;
}

/** The index of the first of the ascending numbers that is larger than `number`. */
function firstAfter(numbers: readonly number[], number: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function areNeighbours(one: Box, other: Box): boolean {
  const tall = one.bottom - one.top;
  const otherTall = other.bottom - other.top;
  const taller = Math.max(tall, otherTall);
  const lower = Math.min(tall, otherTall);
  if (taller > maxHeightRatio * lower) return false;
  if (other.left - one.right > maxGap * taller) return false;
  return Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) >= minOverlap * lower;
}

/** Makes a line as high as its letters, except for single letters that reach into other lines. */
function lineOf(letters: readonly Box[], skew: number): Line {
  const heights = letters.map(({ top, bottom }) => bottom - top).toSorted((one, other) => one - other);
  const usual = heights[heights.length >> 1] ?? 0;
  const left = letters.reduce((least, letter) => Math.min(least, letter.left), Infinity);
  const right = letters.reduce((most, letter) => Math.max(most, letter.right), -Infinity);
  const tilt = tiltOf(letters, usual);
  let top = Infinity;
  let bottom = -Infinity;
  for (const letter of letters) {
    if (letter.bottom - letter.top > maxHeightRatio * usual) continue;
    const shift = tilt * ((letter.left + letter.right) / 2 - left);
    top = Math.min(top, letter.top - shift);
    bottom = Math.max(bottom, letter.bottom - shift);
  }
  // Converts positions on the straightened page back to the scanned page.
  const shift = skew * left;
  return { left, right, top: top + shift, bottom: bottom + shift, slope: skew + tilt, letters: letters.length };
}

/**
 * Returns the slope of a long line in addition to the page's skew, because sheets bend: least squares over the middles of its
 * letters.
 */
function tiltOf(letters: readonly Box[], usual: number): number {
  if (letters.length < longEnough) return 0;
  let across = 0;
  let down = 0;
  for (const { left, right, top, bottom } of letters) {
    across += (left + right) / 2 / letters.length;
    down += (top + bottom) / 2 / letters.length;
  }
  let together = 0;
  let alone = 0;
  for (const { left, right, top, bottom } of letters) {
    const distance = (left + right) / 2 - across;
    together += distance * ((top + bottom) / 2 - down);
    alone += distance * distance;
  }
  if (alone < letters.length * (longEnough * usual) ** 2) return 0;
  return Math.max(-maxTilt, Math.min(maxTilt, together / alone));
}

const longEnough = 10;
const maxTilt = 0.02;

/**
 * Drops lines of accents and dots, which lie inside the lines that they belong to. A frame also encloses text, but has fewer
 * letters than the text.
 */
function withoutParts(lines: readonly Line[]): Line[] {
  const tallestFirst = lines.toSorted((one, other) => other.bottom - other.top - (one.bottom - one.top));
  const kept: Line[] = [];
  const buckets = new Map<number, Line[]>();
  for (const line of tallestFirst) {
    const first = Math.floor(line.top / bucketHeight);
    const last = Math.floor(line.bottom / bucketHeight);
    const rows = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const isPart = rows.some((row) =>
      buckets.get(row)?.some((other) => line.letters <= other.letters && liesIn(line, other)),
    );
    if (isPart) continue;
    kept.push(line);
    for (const row of rows) {
      const bucket = buckets.get(row);
      if (bucket === undefined) buckets.set(row, [line]);
      else bucket.push(line);
    }
  }
  return kept;
}

/** A part is dropped if more than this share of its area is inside the other line. */
const maxCovered = 0.6;

function liesIn(part: Line, whole: Line): boolean {
  const width = Math.min(part.right, whole.right) - Math.max(part.left, whole.left);
  const shift = whole.slope * (part.left - whole.left);
  const height = Math.min(part.bottom, whole.bottom + shift) - Math.max(part.top, whole.top + shift);
  if (width <= 0 || height <= 0) return false;
  return width * height > maxCovered * (part.right - part.left) * (part.bottom - part.top);
}
