import { expect, test } from "vitest";
import { strictParser } from "../../../formats/xml.ts";
import { writeOutFormulas } from "./slides.ts";

const names = `xmlns:p="urn:p" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:mc="urn:mc"`;
const a14 = `xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"`;
const math = `xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"`;
const box = (inside: string): string =>
  `<p:sp><a:p><a:r><a:t>Half is </a:t></a:r>${inside}</a:p><p:x a14:y="1"/></p:sp>`;
const half = `<a14:m><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></a14:m>`;
const slide = (inside: string): string => `<p:sld ${names}>${inside}</p:sld>`;
const alternatives = (choice: string, fallback = ""): string =>
  `<mc:AlternateContent ${a14} ${math}><mc:Choice Requires="a14">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;

/** The text of a slide, after a check that it is well-formed including namespaces. */
function textOf(xml: string): string {
  let text = "";
  const parser = strictParser(() => undefined);
  parser.on("text", (piece) => (text += piece));
  parser.write(xml).close();
  return text;
}

test.each(["", `<p:pic/>`])("the words and formulas of a box stand in the place of its alternative %j", (fallback) => {
  const xml = writeOutFormulas(slide(`<p:a/>${alternatives(box(half), fallback)}<p:b/>`));
  expect(xml).not.toMatch(/AlternateContent|Fallback|oMath|pic/);
  expect(xml).toMatch(/<p:a\/><p:sp [^]*<\/p:sp><p:b\/>/);
  expect(textOf(xml)).toBe("Half is 1/2");
});

test("other alternatives stay", () => {
  const xml = slide(alternatives(box(""), "<p:pic/>"));
  expect(writeOutFormulas(xml)).toBe(xml);
});
