import { expect, test } from "vitest";
import { createSameContent } from "./send-if-new.ts";

test("the same content waits for the first file and is told its dataset", async () => {
  const contents = createSameContent();
  expect(await contents.earlier("a", "one.pdf")).toBeUndefined();
  const second = contents.earlier("a", "two.pdf");
  expect(await contents.earlier("b", "three.pdf")).toBeUndefined();
  contents.settle("a", "ds_1");
  expect(await second).toEqual({ file: "one.pdf", datasetId: "ds_1" });
  expect(await contents.earlier("a", "four.pdf")).toEqual({ file: "one.pdf", datasetId: "ds_1" });
});

test("after a refusal exactly one of those that wait tries by itself", async () => {
  const contents = createSameContent();
  await contents.earlier("a", "one.pdf");
  const waiting = [contents.earlier("a", "two.pdf"), contents.earlier("a", "three.pdf")];
  contents.settle("a", undefined);
  expect(await waiting[0]).toBeUndefined();
  contents.settle("a", "ds_2");
  expect(await waiting[1]).toEqual({ file: "two.pdf", datasetId: "ds_2" });
});
