import { expect, test } from "vitest";
import { newDatasetId } from "../../domain/ids.ts";
import { bestFirst, candidatesFor, candidatesOf, minCandidates } from "./candidates.ts";
import { rankedIn } from "../testing/ranked-in.ts";
import type { PageHit } from "../../domain/ports/vectors.ts";

const [first = newDatasetId(), second = newDatasetId()] = [newDatasetId(), newDatasetId()].sort();
const hit = (page: number, score: number, datasetId = first): PageHit => ({ datasetId, page, generation: "", score });

test("each page occurs once, with its score and vector in every space", () => {
  const vector = Float32Array.of(1, 2);
  const { pages, spaces } = candidatesOf([
    ["words", [hit(7, 3), hit(2, 9), { ...hit(7, 1), generation: "a1" }]],
    ["text", [{ ...hit(2, 0.5), vector }, hit(7, 0.4, second)]],
  ]);
  expect(pages.map(({ datasetId, page, generation }) => [datasetId, page, generation])).toEqual([
    [first, 7, ""],
    [first, 2, ""],
    [first, 7, "a1"],
    [second, 7, ""],
  ]);
  const [words, text] = [spaces.get("words"), spaces.get("text")];
  expect([...(words?.scores ?? [])]).toEqual([3, 9, 1, NaN]);
  expect([...(text?.scores ?? [])]).toEqual([NaN, 0.5, NaN, 0.4]);
  expect([words?.count, text?.count]).toEqual([3, 2]);
  expect(pages.map((_, place) => text?.vectorOf(place))).toEqual([undefined, vector, undefined, undefined]);
});

test("pages of one generation of a dataset are a document", () => {
  const { documents } = candidatesOf([
    ["words", [hit(7, 3), hit(4, 9, second), hit(2, 1), { ...hit(2, 1), generation: "a1" }]],
  ]);
  expect(documents.map(({ datasetId, generation, places }) => [datasetId, generation, ...places])).toEqual([
    [first, "", [7, 0], [2, 2]],
    [second, "", [4, 1]],
    [first, "a1", [2, 3]],
  ]);
});

test("a page has its best score of several searches in a space, and no page is added later", () => {
  const better = Float32Array.of(1);
  const candidates = candidatesOf([
    ["picture", [hit(1, 0.2), hit(2, -0.5)]],
    ["picture", [{ ...hit(1, 0.7), vector: better }]],
  ]);
  candidates.add("picture", [hit(1, 0.3), hit(2, -0.4), hit(3, 0.9)]);
  candidates.add("kinds", [hit(2, 0)]);
  const { pages, spaces } = candidates;
  expect(pages).toHaveLength(2);
  expect([...(spaces.get("picture")?.scores ?? [])]).toEqual([0.7, -0.4]);
  expect(spaces.get("picture")?.count).toBe(2);
  expect(spaces.get("picture")?.vectorOf(0)).toBe(better);
  expect([...(spaces.get("kinds")?.scores ?? [])]).toEqual([NaN, 0]);
});

test("pages are ordered by falling values, then by their keys, without pages that have no value", () => {
  const { pages } = candidatesOf([["words", [hit(10, 1, second), hit(10, 1), hit(2, 1), hit(1, 1)]]]);
  expect(bestFirst(pages, Float64Array.of(5, 5, 5, 6))).toEqual([3, 2, 1, 0]);
  expect(bestFirst(pages, Float64Array.of(NaN, -1, NaN, -2))).toEqual([1, 3]);
});

test("the ranking of one space has the pages that it has found", () => {
  const candidates = candidatesOf([
    ["words", [hit(1, 3), hit(2, 9)]],
    ["text", [hit(3, 0.2)]],
  ]);
  expect(rankedIn(candidates, "words")).toEqual([hit(2, 9), hit(1, 3)]);
  expect(rankedIn(candidates, "kinds")).toEqual([]);
});

test("more hits are requested than returned", () => {
  expect(candidatesFor(1)).toBe(minCandidates);
  expect(candidatesFor(100)).toBe(400);
});
