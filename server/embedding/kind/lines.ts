import type { Plane } from "../picture/plane.ts";
import { longRuns } from "../picture/morphology.ts";
import { componentsOf, type Mask } from "../mask/components.ts";

/** Minimum ink of a drawn pixel: a hairline on a scaled-down page is as pale as this. */
const drawn = 0.2;
/** Minimum length of a rule as a share of the page's width or height: longer than words and letters. */
const longAcross = 0.1;
const longDown = 0.035;
/** Maximum thickness of a rule, in pixels. */
const thick = 3;
/** Number of horizontal strips in which columns are counted, and the minimum gap between columns as a share of the width. */
const strips = 24;
const gap = 0.025;

export const lineFeatureCount = 17;

/** Returns features of ruled lines, their crossings, and the columns between them; `bare` is the page without the rules. */
export function lineFeatures(ink: Plane): { features: number[]; bare: Mask } {
  const { width, height } = ink;
  const mask: Mask = { width, height, data: new Uint8Array(ink.data.length) };
  for (let at = 0; at < mask.data.length; at += 1) mask.data[at] = (ink.data[at] ?? 0) > drawn ? 1 : 0;
  const across = runs(mask, longAcross * width, 1, width, height, width);
  const down = runs(mask, longDown * height, width, 1, width, height);
  const bare = new Uint8Array(mask.data.length);
  let crossings = 0;
  for (let at = 0; at < bare.length; at += 1) {
    const isAcross = across[at] ?? 0;
    const isDown = down[at] ?? 0;
    crossings += isAcross & isDown;
    bare[at] = (mask.data[at] ?? 0) & ~(isAcross | isDown);
  }
  const rows = componentsOf({ width, height, data: across });
  const columns = componentsOf({ width, height, data: down });
  const areaAcross = rows.reduce((sum, rule) => sum + rule.width, 0) / width;
  const areaDown = columns.reduce((sum, rule) => sum + rule.height, 0) / height;
  const widths = mostCommon(rows.map((rule) => Math.round((20 * rule.width) / width)));
  const heights = mostCommon(columns.map((rule) => Math.round((40 * rule.height) / height)));
  return {
    features: [
      Math.log1p(rows.length) / 4,
      Math.log1p(columns.length) / 4,
      Math.log1p(areaAcross) / 3,
      Math.log1p(areaDown) / 3,
      Math.log1p(crossings) / 5,
      Math.max(0, ...rows.map((rule) => rule.width)) / width,
      Math.max(0, ...columns.map((rule) => rule.height)) / height,
      Math.log1p(widths) / 4,
      Math.log1p(heights) / 4,
      evenness(rows.map((rule) => rule.top / height)),
      reach(rows.map((rule) => rule.top)) / height,
      reach(columns.map((rule) => rule.left)) / width,
      ...columnFeatures({ width, height, data: bare }),
    ],
    bare: { width, height, data: bare },
  };
}

/** Marks with 1 where a run of ink along `step` is at least `minLength` long and no more than `thick` wide. */
function runs(
  { data }: Mask,
  minLength: number,
  step: number,
  jump: number,
  lines: number,
  length: number,
): Uint8Array {
  const result = new Uint8Array(data.length);
  for (let line = 0; line < lines; line += 1) {
    const first = line * jump;
    longRuns(data, first, step, length, Math.ceil(minLength), (from, to) => {
      markThin(data, result, minLength, step, jump, first + from * step, first + to * step);
    });
  }
  return result;
}

/** Marks the parts of a run that are thin over a sufficient length. */
function markThin(
  data: Uint8Array,
  result: Uint8Array,
  minLength: number,
  step: number,
  jump: number,
  from: number,
  to: number,
): void {
  for (let start = from, at = from; at <= to; at += step) {
    if (at < to && isThin(data, at, jump)) continue;
    if (at - start >= minLength * step) for (let inside = start; inside < at; inside += step) result[inside] = 1;
    start = at + step;
  }
}

function isThin(data: Uint8Array, index: number, jump: number): boolean {
  let around = 1;
  for (let away = 1; away <= thick && data[index + away * jump] === 1; away += 1) around += 1;
  for (let away = 1; away <= thick && data[index - away * jump] === 1; away += 1) around += 1;
  return around <= thick;
}

/** Returns the number of columns in the page's strips, and the share of strips that have ink. */
function columnFeatures({ width, height, data }: Mask): number[] {
  const gaps: number[] = [];
  let filled = 0;
  for (let strip = 0; strip < strips; strip += 1) {
    const from = Math.floor((strip * height) / strips);
    const to = Math.floor(((strip + 1) * height) / strips);
    const profile = new Uint8Array(width);
    for (let y = from; y < to; y += 1) {
      for (let x = 0; x < width; x += 1) profile[x] = (profile[x] ?? 0) | (data[y * width + x] ?? 0);
    }
    const inked = profile.reduce((sum, value) => sum + value, 0);
    if (inked < 0.03 * width) continue;
    filled += 1;
    gaps.push(gapsIn(profile, gap * width));
  }
  const share = (minCount: number): number => gaps.filter((count) => count >= minCount).length / strips;
  return [share(1), share(2), share(3), share(5), filled / strips];
}

function gapsIn(profile: Uint8Array, minWidth: number): number {
  let [count, last] = [0, -1];
  for (let x = 0; x < profile.length; x += 1) {
    if (profile[x] === 0) continue;
    if (last >= 0 && x - last > minWidth) count += 1;
    last = x;
  }
  return count;
}

/** Returns the count of the most common value, because the rules of a table are equally long. */
function mostCommon(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/** Returns 1 if the distances between places are all the same, and closer to 0 the more they differ. */
function evenness(places: readonly number[]): number {
  const sorted = places.toSorted((a, b) => a - b);
  const steps = sorted.slice(1).map((place, index) => place - (sorted[index] ?? 0));
  const used = steps.filter((step) => step > 0.005);
  if (used.length < 3) return 0;
  const mean = used.reduce((sum, step) => sum + step, 0) / used.length;
  const variance = used.reduce((sum, step) => sum + (step - mean) ** 2, 0) / used.length;
  return 1 / (1 + Math.sqrt(variance) / mean);
}

function reach(places: readonly number[]): number {
  let [least, most] = [Infinity, -Infinity];
  for (const place of places) {
    if (place < least) least = place;
    if (place > most) most = place;
  }
  return most >= least ? most - least : 0;
}
