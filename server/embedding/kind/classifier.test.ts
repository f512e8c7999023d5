import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PackError } from "../pack-error.ts";
import { type KindWeights, openClassifier } from "./classifier.ts";
import { featureCount } from "./features.ts";
import { kinds } from "./kinds.ts";

const zeros = (length: number): number[] => Array.from({ length }, () => 0);

/** A network with one hidden unit that reads the first feature and votes for the first kind. */
const weights: KindWeights = {
  format: "page-kinds-1",
  mean: zeros(featureCount),
  deviation: zeros(featureCount).map(() => 1),
  hidden: [[1, ...zeros(featureCount)]],
  output: kinds.map((_, index) => (index === 0 ? [5, 0] : [0, -5])),
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-kinds-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function written(text: string): Promise<string> {
  const file = join(folder, "kinds.json");
  await writeFile(file, text);
  return file;
}

describe("a classifier of kinds", () => {
  it("does what its weights say", async () => {
    const classify = await openClassifier(await written(JSON.stringify(weights)));
    const [first, second] = [kinds[0], kinds[1]];
    const high = classify(Float32Array.from([2, ...zeros(featureCount - 1)]));
    const low = classify(Float32Array.from([-2, ...zeros(featureCount - 1)]));
    expect(high.get(first)).toBeGreaterThan(0.95);
    expect(low.get(first)).toBeLessThan(0.05);
    expect(high.get(second)).toBeLessThan(0.05);
  });

  it.each<[string, string]>([
    ["no JSON", "{"],
    ["another format", JSON.stringify({ ...weights, format: "page-kinds-2" })],
    ["weights for other features", JSON.stringify({ ...weights, mean: [0] })],
    ["rows that do not fit", JSON.stringify({ ...weights, output: kinds.map(() => [1, 2, 3]) })],
    ["a deviation of nothing", JSON.stringify({ ...weights, deviation: zeros(featureCount) })],
  ])("is not made from %s", async (_, text) => {
    await expect(openClassifier(await written(text))).rejects.toThrow(PackError);
  });

  it("is not made from a file that is not there", async () => {
    await expect(openClassifier(join(folder, "none.json"))).rejects.toThrow(/fetch the pack again/);
  });
});
