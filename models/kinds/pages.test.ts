import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { type KindClassifier, openClassifier } from "../../server/embedding/kind/classifier.ts";
import { featuresOf } from "../../server/embedding/kind/features.ts";
import { type Kind, kinds } from "../../server/embedding/kind/kinds.ts";
import { drawPage } from "./pages.ts";

/** Pages that no training has seen: it counts from 0 up. */
const unseen = 1_000_000;
const pagesEach = 12;

let classify: KindClassifier;
beforeAll(async () => {
  classify = await openClassifier(fileURLToPath(new URL("../builtin/kinds.json", import.meta.url)));
});

/** Mean probability of a kind, over pages drawn to show the other. */
function meanOf(kind: Kind, shown: Kind | undefined): number {
  let sum = 0;
  for (let page = 0; page < pagesEach; page += 1) {
    sum += classify(featuresOf(drawPage(unseen + page, shown))).get(kind) ?? 0;
  }
  return sum / pagesEach;
}

describe("the built-in pack tells kinds of pages that our code draws", () => {
  it.each(kinds)("%s", (kind) => {
    const own = meanOf(kind, kind);
    expect(own).toBeGreaterThan(0.4);
    expect(meanOf(kind, undefined)).toBeLessThan(own / 2);
  });

  it("always the same way", () => {
    const [once, again] = [drawPage(5, "map"), drawPage(5, "map")];
    expect(again.picture).toEqual(once.picture);
    expect(classify(featuresOf(again))).toEqual(classify(featuresOf(once)));
  });
});
