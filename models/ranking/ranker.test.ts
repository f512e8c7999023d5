import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { readManifest } from "../../server/embedding/load.ts";
import { resolvePackDir } from "../../server/embedding/packs.ts";
import { type FeatureName, featureNames } from "../../server/domain/ports/pack-ranking.ts";
import { contributionsOf } from "../../server/ranking/rerank/gains.ts";

const numbers = z.record(z.enum(featureNames), z.number());
/** Examples as `train.py --examples` writes them. */
const examples = z
  .object({
    weights: numbers,
    pages: z.array(z.object({ evidence: z.number(), features: numbers, score: z.number() })),
  })
  .parse(JSON.parse(await readFile(new URL("examples.json", import.meta.url), "utf8")));

test("drs scores pages as the trainer does", () => {
  expect(examples.pages.length).toBeGreaterThan(10);
  const column = (name: FeatureName) => Float64Array.from(examples.pages, ({ features }) => features[name]);
  const gains = contributionsOf(examples.weights, {
    pairs: column("pairs"),
    window: column("window"),
    heading: column("heading"),
    numbers: column("numbers"),
    length: column("length"),
    documentName: column("documentName"),
    documentOpening: column("documentOpening"),
    documentWhole: column("documentWhole"),
    neighbours: column("neighbours"),
  });
  for (const [page, { evidence, score }] of examples.pages.entries()) {
    expect(evidence + (gains[page] ?? NaN)).toBeCloseTo(score, 10);
  }
});

test("the trainer knows the features of drs, and the built-in pack weighs some of them", async () => {
  expect(Object.keys(examples.weights).toSorted()).toEqual([...featureNames].toSorted());
  const { fusion } = await readManifest(resolvePackDir("builtin"));
  expect(fusion.some(({ ranker }) => ranker !== undefined && Object.keys(ranker.weights).length > 0)).toBe(true);
});
