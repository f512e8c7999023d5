import { describe, expect, test } from "vitest";
import { readProperties } from "./properties.ts";

const titleOf = (title: string) => readProperties({ title, author: "" }).title;
const authorOf = (author: string) => readProperties({ title: "", author }).author;

describe("properties of a file", () => {
  test("are lines of text", () => {
    expect(readProperties({ title: "  Free\r\n Culture\u0000", author: "Lawrence\u200b Lessig" })).toEqual({
      title: "Free Culture",
      author: "Lawrence Lessig",
    });
    expect(titleOf("Debian リファレンス")).toBe("Debian リファレンス");
    expect(titleOf("年報")).toBe("年報");
  });

  test("are limited in length", () => {
    expect(titleOf("long title ".repeat(100_000))).toHaveLength(300);
    expect(titleOf("😀a𝕏yz".repeat(1_000))?.isWellFormed()).toBe(true);
  });

  test.each(["Microsoft Word - Annual report.doc", "Word - Annual report.doc"])("lose the program: %s", (title) => {
    expect(titleOf(title)).toBe("Annual report.doc");
  });

  test.each([
    "",
    "untitled",
    "Untitled-3",
    "Microsoft Word - Document1",
    "Microsoft Word - Dokument 12.docx",
    "PowerPoint Presentation",
    "PowerPoint-Präsentation",
    "Presentation1.pptx",
    "Book1",
    "Slide 1",
    "無題",
    "42",
    "- 1 -",
    "https://example.com/page",
    "about:blank",
    "C:\\Users\\me\\a.doc",
    "ARRAY(0x2c7cf020)",
    "[Insert title]",
  ])("leave out the title %j, which nobody has given", (title) => {
    expect(titleOf(title)).toBeNull();
  });

  test.each([
    "",
    "admin",
    "Administrator",
    "user1",
    "Microsoft Office User",
    "python-docx",
    "ARRAY(0x2c7cf020)",
    "[FAMILY Given]",
  ])("leave out the author %j, who is nobody", (author) => {
    expect(authorOf(author)).toBeNull();
  });

  test("keep a title that only begins like one", () => {
    for (const title of [
      "Document retention policy",
      "Test methods for steel",
      "Sheet metal work",
      "Page layout in TeX",
    ]) {
      expect(titleOf(title)).toBe(title);
    }
    expect(authorOf("Admin Department of Otters")).toBe("Admin Department of Otters");
  });
});
