import { expect, test } from "vitest";
import { hitsAround } from "./hits-around.ts";

const page = (datasetId: string, col: number) => ({ datasetId, col });
const answer = [page("a", 9), page("b", 2), page("a", 4), page("c", 1)];

test("hits follow each other in the order of the answer, as far as they are likely", () => {
  expect(hitsAround(answer, 3, page("b", 2))).toEqual({
    index: 1,
    count: 3,
    previous: page("a", 9),
    next: page("a", 4),
  });
  expect(hitsAround(answer, 3, page("a", 4))).toMatchObject({ index: 2, next: undefined });
});

test("a page below the line is among all of them", () => {
  expect(hitsAround(answer, 3, page("c", 1))).toMatchObject({ index: 3, count: 4, previous: page("a", 4) });
  expect(hitsAround(answer, 0, page("b", 2))).toMatchObject({ index: 1, count: 4 });
});

test("a page that is no hit has the nearest of its document, or the first of all", () => {
  const between = { index: undefined, count: 3, previous: page("a", 4), next: page("a", 9) };
  expect(hitsAround(answer, 3, page("a", 6))).toEqual(between);
  expect(hitsAround(answer, 3, page("d", 6))).toMatchObject({ previous: undefined, next: page("a", 9) });
  expect(hitsAround([], 0, page("a", 6))).toMatchObject({ count: 0, previous: undefined, next: undefined });
});
