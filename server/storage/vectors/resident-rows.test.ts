import { expect, test } from "vitest";
import { createRandom } from "../../../bench/measuring/random.ts";
import { createVectors } from "../../../bench/synthetic/vectors.ts";
import { newDatasetId } from "../../domain/ids.ts";
import type { PageKey } from "../../domain/ports/vectors.ts";
import { createResidentRows, type GrowingRows, isAlike } from "./resident-rows.ts";

const dimensions = 1024;
/** More than have a byte a dimension. */
const count = 20_010;
const pagesPerDataset = 30;
const synthetic = createVectors(createRandom(11));
const datasetIds = Array.from({ length: count / pagesPerDataset }, newDatasetId);
const datasetAt = (place: number) => datasetIds[Math.floor(place / pagesPerDataset)] ?? newDatasetId();
const pageAt = (place: number): PageKey => ({ datasetId: datasetAt(place), page: place, generation: "" });

function emptyRows(version: number, of = count): GrowingRows {
  const rows = createResidentRows({ version, dimensions, count: of });
  if (rows === undefined) throw new Error("no rows");
  return rows;
}

const rows = emptyRows(1);
const vectors = new Float32Array(count * dimensions);
for (let place = 0, document = synthetic.document(dimensions); place < count; place++) {
  if (place % pagesPerDataset === 0) document = synthetic.document(dimensions);
  const [first = new Float32Array()] = synthetic.page(document, 1, 0);
  rows.push(pageAt(place), BigInt(place), rows.encode(first));
  vectors.set(first, place * dimensions);
}
const questions = Array.from({ length: 10 }, () => synthetic.query(dimensions));

/** By every value of the vectors. */
function nearestOf(question: Float32Array, limit: number, isWanted = (_place: number): boolean => true): number[] {
  const products = Float64Array.from({ length: count }, (_, place) => {
    let sum = 0;
    for (let at = 0; at < dimensions; at++) sum += (question[at] ?? 0) * (vectors[place * dimensions + at] ?? 0);
    return sum;
  });
  const places = Array.from(products.keys()).filter(isWanted);
  return places.sort((one, other) => (products[other] ?? 0) - (products[one] ?? 0)).slice(0, limit);
}

const shareOf = (wanted: readonly number[], found: readonly number[]): number =>
  new Set(wanted).intersection(new Set(found)).size / wanted.length;

test("of many rows, by their signs and codes of four bits, the nearest are found", () => {
  const shares = questions.map((question) => {
    const found = rows.nearestTo(question)(180);
    expect(found).toHaveLength(180);
    const exact = nearestOf(question, 120);
    // About as many pages have the subject of the question; after them all are equally far.
    expect(shareOf(exact.slice(0, 30), found)).toBe(1);
    return shareOf(exact, found);
  });
  expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThanOrEqual(0.96);
});

test("of some of their datasets, too, and no others", () => {
  for (const every of [1, 2, 50, datasetIds.length]) {
    const wanted = new Set(datasetIds.filter((_, at) => at % every === 0));
    const isWanted = (place: number): boolean => wanted.has(datasetAt(place));
    const limit = Math.min(180, wanted.size * pagesPerDataset);
    for (const question of questions.slice(0, 3)) {
      const found = rows.nearestTo(question, (datasetId) => wanted.has(datasetId))(180);
      expect(found).toHaveLength(limit);
      expect(found.every(isWanted)).toBe(true);
      expect(shareOf(nearestOf(question, 10, isWanted), found)).toBe(1);
    }
  }
  expect(rows.nearestTo(synthetic.query(dimensions), () => false)(180)).toEqual([]);
});

test("rows of another version are taken over with their codes, where these are alike", () => {
  const next = emptyRows(2);
  for (let place = count - 1; place >= 0; place--) next.pushRowOf(rows, place);
  for (const question of questions) {
    const [before, now] = [rows.nearestTo(question)(180), next.nearestTo(question)(180)];
    expect(now.map((place) => next.pageAt(place).page)).toEqual(before);
  }
  expect(isAlike(count - 1, rows)).toBe(true);
  expect(isAlike(20, rows)).toBe(false);
  expect(isAlike(20, emptyRows(1, 30))).toBe(true);
});

test("rows that have grown or shrunk past where they are kept otherwise are not alike those that are read anew", () => {
  const grown = emptyRows(1, 20_000);
  const coded = grown.encode(vectors.slice(0, dimensions));
  for (let place = 0; place < 20_001; place++) grown.push(pageAt(place % count), BigInt(place), coded);
  expect(isAlike(20_002, grown)).toBe(false);
  expect(isAlike(19_999, grown)).toBe(true);
  const shrunk = emptyRows(2);
  for (let place = 0; place < count; place++) shrunk.pushRowOf(rows, place);
  shrunk.become(3, { addresses: shrunk.addresses, gone: Array.from({ length: 100 }, (_, at) => at) });
  expect(shrunk.count).toBe(count - 100);
  expect(isAlike(count - 99, shrunk)).toBe(false);
  expect(isAlike(20_001, shrunk)).toBe(true);
  const found = shrunk.nearestTo(vectors.slice(0, dimensions))(180);
  expect(found).toHaveLength(180);
  expect(found.every((place) => place >= 100)).toBe(true);
});
