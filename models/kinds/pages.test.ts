import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { type KindClassifier, openClassifier } from "../../server/embedding/kind/classifier.ts";
import { featuresOf } from "../../server/embedding/kind/features.ts";
import { type Kind, kinds } from "../../server/embedding/kind/kinds.ts";
import { drawPage } from "./pages.ts";

/** The first seed of pages that training has not seen; its seeds count from 0. */
const unseen = 1_000_000;
const pagesEach = 12;

let classify: KindClassifier;
beforeAll(async () => {
  classify = await openClassifier(fileURLToPath(new URL("../builtin/kinds.json", import.meta.url)));
});

/** Returns the mean probability of a kind over pages that are drawn to show `shown`. */
function meanOf(kind: Kind, shown: Kind | undefined): number {
  let sum = 0;
  for (let page = 0; page < pagesEach; page += 1) {
    sum += classify(featuresOf(drawPage(unseen + page, shown))).get(kind) ?? 0;
  }
  return sum / pagesEach;
}

describe("the built-in pack recognises the kinds of pages that our code draws", () => {
  it.each(kinds)("%s", (kind) => {
    const own = meanOf(kind, kind);
    expect(own).toBeGreaterThan(0.4);
    expect(meanOf(kind, undefined)).toBeLessThan(own / 2);
  });

  it("in the same way in every run", () => {
    const [once, again] = [drawPage(5, "map"), drawPage(5, "map")];
    expect(again.picture).toEqual(once.picture);
    expect(classify(featuresOf(again))).toEqual(classify(featuresOf(once)));
  });
});
