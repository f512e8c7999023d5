import { expect, test } from "vitest";
import { newDatasetId } from "../../domain/ids.ts";
import { documentKey } from "../../domain/ports/pack-ranking.ts";
import { candidatesOf } from "../retrieve/candidates.ts";
import { readManifest } from "../../embedding/manifest.ts";
import { resolvePackDir } from "../../embedding/packs.ts";
import { rerankCandidates } from "./reading.ts";

const { fusion } = await readManifest(resolvePackDir("builtin"));
const [report, other] = [newDatasetId(), newDatasetId()];
const ofOther = Array.from({ length: 20 }, (_, at) => ({
  datasetId: other,
  page: at + 1,
  generation: "",
  score: 30 - at,
}));
const ofReport = { datasetId: report, page: 7, generation: "", score: 6 };
const found = candidatesOf([["words", [...ofOther, ofReport]]]);

test("a page of a document that matches as a whole is read, even if many other pages match the words better", () => {
  const documents = new Map([[documentKey(ofReport), { name: 12, opening: 9, whole: 9 }]]);
  expect(rerankCandidates(fusion, found, { documents: new Map(), most: 5 })).toEqual([0, 1, 2, 3, 4]);
  expect(rerankCandidates(fusion, found, { documents, most: 5 })).toContain(20);
});

test("all pages are read if there are no more than the maximum", () => {
  expect(rerankCandidates(fusion, found, { documents: new Map(), most: 21 })).toHaveLength(21);
});
