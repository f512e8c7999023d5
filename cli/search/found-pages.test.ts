import { expect, test } from "vitest";
import { plainStyle } from "../terminal/style.ts";
import { foundLines } from "./found-pages.ts";

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
