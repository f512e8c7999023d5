import { expect, test } from "vitest";
import { newDatasetId } from "../ids.ts";
import type { Domain } from "../domain.ts";
import { contentsOf, type Inclusion } from "./contents.ts";
import { itemId } from "./item.ts";

const datasetId = newDatasetId();
const items = (...pages: readonly number[]) =>
  pages.map((page) => {
    const ref = { datasetId, publicDatasetId: datasetId, page, row: "jpg" as const };
    return { ...ref, id: itemId(ref), createdAt: 0, fileName: "a.pdf", pageCount: 99, datasetMetadata: { page } };
  });
const domainWith = (texts: Readonly<Record<number, string>>): Domain => {
  const words = async (_: unknown, pages: readonly number[]) =>
    new Map(pages.flatMap((page) => (texts[page] === undefined ? [] : [[page, texts[page]]])));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is asked
  return { metadata: { pages: { words } } } as unknown as Domain;
};
const ask = (domain: Domain, pages: readonly number[], include: readonly Inclusion[]) =>
  contentsOf(domain, { items: items(...pages), include, pictureWidth: undefined }, AbortSignal.timeout(60_000));

test("texts are in the order of the items, even if a page occurs twice", async () => {
  expect(await ask(domainWith({ 1: "one", 2: "two" }), [2, 1, 3, 2], ["text"])).toEqual([
    { text: "two" },
    { text: "one" },
    { text: "" },
    { text: "two" },
  ]);
});

test("metadata is that of each item's document, and uses the budget before texts", async () => {
  expect(await ask(domainWith({ 1: "one" }), [2, 1], ["metadata"])).toEqual([
    { metadata: { page: 2 } },
    { metadata: { page: 1 } },
  ]);
  const twoAndText = { items: items(2, 1), include: ["text", "metadata"] as const, pictureWidth: undefined };
  const asked = { ...twoAndText, maxBytes: 2 * Buffer.byteLength('{"page":1}') };
  expect(await contentsOf(domainWith({ 1: "one" }), asked, AbortSignal.timeout(60_000))).toEqual([
    { metadata: { page: 2 }, text: "" },
    { metadata: { page: 1 } },
  ]);
});

test("nothing is read if nothing is requested", async () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing of it is asked
  expect(await ask({} as Domain, [1, 2], [])).toEqual([{}, {}]);
});

test("contents that no longer fit are left out, and smaller ones still come", async () => {
  const large = "é".repeat(3 * 2 ** 20);
  const texts = await ask(domainWith({ 1: large, 2: large, 3: "small" }), [1, 2, 3], ["text"]);
  expect(texts.map(({ text }) => text?.length)).toEqual([large.length, undefined, 5]);
});
