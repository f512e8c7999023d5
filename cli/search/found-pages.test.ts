import { expect, test } from "vitest";
import { plainStyle } from "../terminal/style.ts";
import { divider, foundLines } from "./found-pages.ts";

const share = { url: "http://h/v1/share/dsx_1?token=t", token: "t", expiresAt: null };
const item = {
  id: "dsx_1",
  datasetId: "ds_1",
  row: "jpg",
  createdAt: 0,
  share,
  fileName: "a.pdf",
  pageCount: 9,
} as const;

test("why a page has its score stands below it, in log-odds", () => {
  const part = {
    weight: 1,
    probability: 0.731,
    logOdds: 1,
    base: -3,
    spaces: [{ name: "words", score: 12, logOdds: 2.5 }],
    likeness: 0.01,
    features: [
      { name: "namedPage", of: "page", value: 4, logOdds: 3.1 },
      { name: "window", of: "page", value: 1, logOdds: 0.8 },
      { name: "heading", of: "page", value: 0, logOdds: 0 },
      { name: "documentName", of: "document", value: 2, logOdds: 0.7 },
    ],
    words: [
      { word: "pump", count: 3, logOdds: 2.5, foundAs: [] },
      { word: "walrsu", count: 2, logOdds: 0.1, foundAs: ["walrus"] },
      { word: "seal", count: 0, logOdds: 0, foundAs: [] },
    ],
  };
  const found = { ...item, rank: 1, col: 4, score: 0.73, explanation: { parts: [part] } };
  expect(foundLines(found, plainStyle).slice(2)).toEqual([
    "           words +2.5  named: page 4 +3.1  page +0.8  document +0.7  base −3.0 = +1.0 (0.73)",
    "           of the words: pump 3× +2.5, walrsu (walrus) 2× +0.1, seal –",
  ]);
});

test("what the page says of the question stands below it, and a line above unlikely answers", () => {
  const found = {
    ...item,
    rank: 1,
    col: 4,
    score: 0.5,
    snippet: { text: "…a pump…", marks: [{ start: 3, length: 4 }] },
  };
  expect(foundLines(found, plainStyle).at(-1)).toBe("           …a pump…");
  expect(foundLines({ ...found, text: "all of it" }, plainStyle)).not.toContain("           …a pump…");
  expect([divider(2, 2, plainStyle), divider(0, 0, plainStyle)]).toEqual([undefined, undefined]);
  expect(divider(1, 2, plainStyle)).toContain("unlikely answers");
  expect(divider(0, 2, plainStyle)).toContain("nothing here seems to answer the question");
});

test("a page's text and its neighbours stand below it, and control no terminal", () => {
  const found = {
    ...item,
    rank: 1,
    col: 4,
    score: 0.5,
    text: "first line\nsecond \u001b[2Jline",
    neighbours: [{ ...item, col: 5, text: "" }],
  };
  expect(foundLines(found, plainStyle)).toEqual([
    " 1.  0.50  a.pdf, page 4",
    "           http://h/v1/share/dsx_1?token=t",
    "           | first line",
    "           | second \uFFFD[2Jline",
    "           page 5  http://h/v1/share/dsx_1?token=t",
  ]);
});
