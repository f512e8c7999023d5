import { describe, expect, test } from "vitest";
import { identifyDocument } from "./identify.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

describe("identifyDocument", () => {
  test("knows a PDF by its header, also behind junk", () => {
    const pdf = { fileExt: "pdf", mimeType: "application/pdf" };
    expect(identifyDocument(bytes("%PDF-1.7\n"))).toEqual(pdf);
    expect(identifyDocument(bytes(`${"x".repeat(900)}%PDF-1.4`))).toEqual(pdf);
  });

  test.each([
    ["", /empty/],
    ["PK\x03\x04 word/document.xml", /zip container/],
    ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", /legacy or encrypted Office/],
    ["\xff\xd8\xff\xe0 JFIF", /JPEG/],
    ["\x89PNG\r\n\x1a\n", /PNG/],
    ["<html>hello</html>", /plain text/],
    ["{\\rtf1", /rich text/],
    ["\x00\x01\x02\x03", /not a document/],
    [`${"x".repeat(1100)}%PDF-1.4`, /plain text/],
  ])("refuses %j with its own reason", (content, reason) => {
    expect(() => identifyDocument(bytes(content))).toThrow(reason);
  });
});
