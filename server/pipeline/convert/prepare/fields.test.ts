import { expect, test } from "vitest";
import { writeOutFields } from "./fields.ts";

const word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const body = (inside: string): string => `<w:document xmlns:w="${word}"><w:p>${inside}</w:p></w:document>`;
const mark = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const code = (text: string): string => `<w:r><w:instrText> ${text} </w:instrText></w:r>`;
const run = (text: string): string => `<w:r><w:t>${text}</w:t></w:r>`;
const field = (instruction: string, result: string): string =>
  `${mark("begin")}${instruction}${mark("separate")}${result}${mark("end")}`;
/** The remaining text, with remaining fields in braces. */
const seen = (xml: string): string =>
  writeOutFields(body(xml), "A & B.docx")
    .replaceAll(/<w:fldChar w:fldCharType="begin"\/>|<w:fldSimple[^>]*>/g, "{")
    .replaceAll(/<w:fldChar w:fldCharType="end"\/>|<\/w:fldSimple>/g, "}")
    .replaceAll(/<w:fldChar w:fldCharType="separate"\/>/g, "|")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();

test.each([
  ["a reference to what is gone", field(code("REF nowhere \\h"), run("clause seven")), "clause seven"],
  ["a page of what is gone", field(code("PAGEREF _Toc1"), run("17")), "17"],
  ["the number of a page", field(code("PAGE"), run("3")), "{ PAGE |3}"],
  ["a link", field(code("HYPERLINK x"), run("here")), "{ HYPERLINK x |here}"],
  ["a form, whose name begins like another's", field(code("FORMTEXT"), run("name")), "{ FORMTEXT |name}"],
  ["the name of the file", field(code("FILENAME"), run("old.docx")), "A &amp; B.docx"],
  ["its path", field(code("FILENAME \\p"), run("C:\\old.docx")), "A &amp; B.docx"],
  ["the name without a result", `${mark("begin")}${code("filename")}${mark("end")}`, "A &amp; B.docx"],
  ["a reference without a result", `${mark("begin")}${code("REF x")}${mark("end")}`, "{ REF x }"],
  [
    "a condition around a number of pages",
    field(`${code("IF")}${field(code("NUMPAGES"), run("9"))}${code("> 1 yes")}`, run("yes")),
    "yes",
  ],
  [
    "the page of an entry in the contents",
    field(code("TOC \\o"), run("One ") + field(code("PAGEREF a"), run("4"))),
    "{ TOC \\o |One 4}",
  ],
  [
    "an instruction in pieces",
    field("<w:r><w:instrText> RE</w:instrText></w:r><w:r><w:instrText>F x </w:instrText></w:r>", run("seven")),
    "seven",
  ],
  ["a simple reference", `<w:fldSimple w:instr=" REF x ">${run("seven")}</w:fldSimple>`, "seven"],
  ["a simple page", `<w:fldSimple w:instr=" PAGE ">${run("3")}</w:fldSimple>`, "{3}"],
  ["a simple name", `<w:fldSimple w:instr=" FILENAME ">${run("old.docx")}</w:fldSimple>`, "A &amp; B.docx"],
])("%s", (_, xml, text) => {
  expect(seen(xml)).toBe(text);
});
