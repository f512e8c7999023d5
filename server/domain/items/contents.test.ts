import { expect, test } from "vitest";
import { newDatasetId } from "../ids.ts";
import type { Metadata } from "../ports/metadata.ts";
import { contentsOf } from "./contents.ts";
import { itemId } from "./item.ts";

const datasetId = newDatasetId();
const items = (...pages: readonly number[]) =>
  pages.map((page) => {
    const ref = { datasetId, page, row: "jpg" as const };
    return { ...ref, id: itemId(ref), createdAt: 0, fileName: "a.pdf", pageCount: 99 };
  });
const pagesOf = (texts: Readonly<Record<number, string>>): { metadata: Metadata } => {
  const words = async (_: unknown, pages: readonly number[]) =>
    new Map(pages.flatMap((page) => (texts[page] === undefined ? [] : [[page, texts[page]]])));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is asked
  return { metadata: { pages: { words } } as unknown as Metadata };
};

test("texts come in the order of the items, also of a page that is there twice", async () => {
  const domain = pagesOf({ 1: "one", 2: "two" });
  expect(await contentsOf(domain, { items: items(2, 1, 3, 2), include: ["text"] })).toEqual([
    { text: "two" },
    { text: "one" },
    { text: "" },
    { text: "two" },
  ]);
});

test("nothing is read where nothing is asked", async () => {
  const never = { metadata: {} as Metadata };
  expect(await contentsOf(never, { items: items(1, 2), include: [] })).toEqual([{}, {}]);
});

test("what no longer fits is left out, and what is smaller comes all the same", async () => {
  const large = "é".repeat(3 * 2 ** 20);
  const texts = await contentsOf(pagesOf({ 1: large, 2: large, 3: "small" }), {
    items: items(1, 2, 3),
    include: ["text"],
  });
  expect(texts.map(({ text }) => text?.length)).toEqual([large.length, undefined, 5]);
});
