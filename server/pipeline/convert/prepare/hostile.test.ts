import { describe, expect, test } from "vitest";
import { XmlError } from "../../../formats/xml.ts";
import { readDateFormat } from "./date-format.ts";
import { writeOutFields } from "./fields.ts";
import { acceptRevisions } from "./revisions.ts";
import { writeOutNames } from "./sheets.ts";
import { writeOutFormulas } from "./slides.ts";

const word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const body = (inside: string): string => `<w:document xmlns:w="${word}"><w:body>${inside}</w:body></w:document>`;
const mark = (type: string): string => `<w:fldChar w:fldCharType="${type}"/>`;

describe("a document that would take all memory is not changed", () => {
  test.each<[string, () => string]>([
    ["a million changes", () => acceptRevisions(body(`<w:ins/>`.repeat(1_000_001)))],
    [
      "names of the file without end",
      () => writeOutFields(body(`<w:fldSimple w:instr="FILENAME"/>`.repeat(300_000)), "n".repeat(255)),
    ],
    ["fields in fields", () => writeOutFields(body(mark("begin").repeat(100)), "name")],
    [
      "shapes that need a thousand namespaces each",
      () => {
        const names = Array.from({ length: 200 }, (_, at) => ` xmlns:n${at}="urn:${"x".repeat(300)}"`).join("");
        const formula = `<a14:m xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"/>`;
        return writeOutFormulas(
          `<s xmlns:mc="urn:mc"><mc:AlternateContent${names}><mc:Choice Requires="a14">${formula}${"<b/>".repeat(1_000)}</mc:Choice></mc:AlternateContent></s>`,
        );
      },
    ],
  ])("%s", (_, write) => {
    expect(write).toThrow(XmlError);
  });
});

// Patterns that search for an end from each beginning take hours for these.
test("a document that would take forever is not changed", () => {
  const header = `<s><oddHeader>${`&amp;"`.repeat(1_000_000)}</oddHeader></s>`;
  expect(writeOutNames(header, "name")).toBe(header);
  for (const piece of ["[", '"', "[$-407]mmmm"]) expect(readDateFormat(piece.repeat(1_000_000))).toBeUndefined();
});

test("a field around a hundred thousand runs keeps them", () => {
  const runs = `<w:r><w:t>a</w:t></w:r>`.repeat(200_000);
  const inner = `${mark("begin")}<w:instrText>REF x</w:instrText>${mark("separate")}${runs}${mark("end")}`;
  const xml = body(
    `<w:p>${mark("begin")}<w:instrText>TOC</w:instrText>${mark("separate")}${inner}${mark("end")}</w:p>`,
  );
  expect(writeOutFields(xml, "name").length).toBe(xml.length - inner.length + runs.length);
});
