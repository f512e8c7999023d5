import { expect, it } from "vitest";
import { drawPage } from "./testing/draw-page.ts";
import { inkOf, type Plane } from "./plane.ts";
import { withoutRules } from "./morphology.ts";

/** The darkest window of `2 * half + 1` values around a value, by the lightest value in the window. */
function opening(line: readonly number[], at: number, half: number): number {
  const around = (place: number): number[] => {
    const from = Math.max(0, place - half);
    return Array.from({ length: Math.min(line.length, place + half + 1) - from }, (_, index) => from + index);
  };
  return Math.max(...around(at).map((centre) => Math.min(...around(centre).map((place) => line[place] ?? 0))));
}

function expected({ width, height, data }: Plane, x: number, y: number, half: number): number {
  const row = Array.from(data.subarray(y * width, (y + 1) * width));
  const column = Array.from({ length: height }, (_, at) => data[at * width + x] ?? 0);
  return (row[x] ?? 0) - Math.max(opening(row, x, half), opening(column, y, half));
}

const ruled = inkOf(drawPage(2), 60, 85);
for (let x = 3; x < 57; x += 1) ruled.data[20 * 60 + x] = 0.7;
for (let y = 0; y < 85; y += 1) ruled.data[y * 60 + 9] = 0.4;
ruled.data.fill(0.6, 70 * 60, 73 * 60);

const wild: Plane = {
  width: 33,
  height: 29,
  data: Float32Array.from({ length: 33 * 29 }, (_, at) => Math.max(0, ((at * 7919) % 251) / 251 - 0.1)),
};

it.each<[string, Plane, number]>([
  ["a ruled page", ruled, 9],
  ["noise", wild, 7],
  ["a plane shorter than the rules", wild, 90],
  ["nothing but ink", { width: 20, height: 5, data: new Float32Array(100).fill(0.3) }, 6],
])("%s loses what is longer than a rule, and nothing else", (_, plane, length) => {
  const { width, data } = withoutRules(plane, length);
  for (let at = 0; at < data.length; at += 1) {
    const x = at % width;
    expect(data[at]).toBeCloseTo(expected(plane, x, (at - x) / width, length >> 1), 6);
  }
});
