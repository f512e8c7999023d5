import { expect, test } from "vitest";
import { acceptRevisions } from "./revisions.ts";

const word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const body = (inside: string): string => `<w:document xmlns:w="${word}"><w:body>${inside}</w:body></w:document>`;
const run = (text: string): string => `<w:r><w:t>${text}</w:t></w:r>`;
const deleted = (text: string): string => `<w:del w:id="1"><w:r><w:delText>${text}</w:delText></w:r></w:del>`;
const deletedMark = `<w:pPr><w:jc w:val="left"/><w:rPr><w:del w:id="2"/></w:rPr></w:pPr>`;
const row = (text: string, isDeleted = false): string =>
  `<w:tr>${isDeleted ? `<w:trPr><w:del w:id="3"/></w:trPr>` : ""}<w:tc><w:p>${run(text)}</w:p></w:tc></w:tr>`;

test.each([
  ["without changes", `<w:p>${run("a")}</w:p>`, `<w:p>${run("a")}</w:p>`],
  [
    "with words deleted and inserted",
    `<w:p>${run("a")}${deleted("b")}<w:ins w:id="2">${run("c")}</w:ins></w:p>`,
    `<w:p>${run("a")}${run("c")}</w:p>`,
  ],
  [
    "with words moved",
    `<w:p><w:moveFromRangeStart w:id="5"/><w:moveFrom w:id="1">${run("a")}</w:moveFrom><w:moveFromRangeEnd w:id="5"/><w:moveTo w:id="2">${run("a")}</w:moveTo></w:p>`,
    `<w:p>${run("a")}</w:p>`,
  ],
  [
    "with what was inserted and then deleted",
    `<w:p><w:ins w:id="1">${deleted("b")}</w:ins>${run("a")}</w:p>`,
    `<w:p>${run("a")}</w:p>`,
  ],
  [
    "with other properties before",
    `<w:p><w:pPr><w:pPrChange w:id="1"><w:pPr><w:b/></w:pPr></w:pPrChange></w:pPr><w:r><w:rPr><w:b/><w:rPrChange w:id="4"><w:rPr/></w:rPrChange></w:rPr><w:t>a</w:t></w:r></w:p>`,
    `<w:p><w:pPr></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r></w:p>`,
  ],
  [
    "with a paragraph that is deleted whole",
    `<w:p>${deletedMark}${deleted("b")}</w:p><w:p>${run("a")}</w:p>`,
    `<w:p>${run("a")}</w:p>`,
  ],
  [
    "with paragraphs that are joined",
    `<w:p>${deletedMark}${run("a ")}</w:p><w:p>${deletedMark}${run("b ")}</w:p><w:p><w:pPr><w:jc w:val="right"/></w:pPr>${run("c")}</w:p><w:p>${run("d")}</w:p>`,
    `<w:p><w:pPr><w:jc w:val="left"/><w:rPr></w:rPr></w:pPr>${run("a ")}${run("b ")}${run("c")}</w:p><w:p>${run("d")}</w:p>`,
  ],
  [
    "with a deleted mark at the end of a cell",
    `<w:tbl><w:tr><w:tc><w:p>${deletedMark}${run("a")}</w:p></w:tc><w:tc><w:p>${run("b")}</w:p></w:tc></w:tr></w:tbl>`,
    `<w:tbl><w:tr><w:tc><w:p><w:pPr><w:jc w:val="left"/><w:rPr></w:rPr></w:pPr>${run("a")}</w:p></w:tc><w:tc><w:p>${run("b")}</w:p></w:tc></w:tr></w:tbl>`,
  ],
  ["with a deleted row", `<w:tbl>${row("a")}${row("b", true)}</w:tbl>`, `<w:tbl>${row("a")}</w:tbl>`],
  ["with a deleted table", `<w:tbl>${row("a", true)}</w:tbl><w:p>${run("b")}</w:p>`, `<w:p>${run("b")}</w:p>`],
])("a text %s", (_, xml, accepted) => {
  expect(acceptRevisions(body(xml))).toBe(body(accepted));
});
