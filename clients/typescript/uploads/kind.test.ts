import { expect, test } from "vitest";
import { kindOf } from "./kind.ts";

const head = (text: string) => async () => new TextEncoder().encode(text);
const word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

test.each([
  [{ fileName: "a.pdf", mimeType: "" }, "", { fileExt: "pdf", fileType: "application/pdf" }],
  [{ fileName: "A.B.DOCX", mimeType: "" }, "", { fileExt: "docx", fileType: word }],
  [{ fileName: "macro.docm", mimeType: "" }, "", { fileExt: "docm", fileType: "application/octet-stream" }],
  [{ fileName: "a.pdf", mimeType: "application/x-pdf; v=1" }, "", { fileExt: "pdf", fileType: "application/x-pdf" }],
  [{ fileName: "document", mimeType: word }, "PK", { fileExt: "docx", fileType: word }],
  [{ fileName: "document", mimeType: "" }, "%PDF-1.7", { fileExt: "pdf", fileType: "application/pdf" }],
  [{ fileName: "document", mimeType: "text/plain" }, "junk %PDF-1.4", { fileExt: "pdf", fileType: "application/pdf" }],
])("%o that begins with %j", async (facts, first, kind) => {
  expect(await kindOf(facts, head(first))).toEqual(kind);
});

test.each([
  ["PK\u0003\u0004", "such as report.docx"],
  ["hello", "cannot tell what kind of document"],
  ["", "cannot tell what kind of document"],
])("without name and type %j tells nothing", async (first, message) => {
  await expect(kindOf({ fileName: "document", mimeType: "" }, head(first))).rejects.toThrow(message);
});

test("the bytes are not read where the name tells", async () => {
  const unread = (): never => {
    throw new Error("read");
  };
  expect(await kindOf({ fileName: "a.xlsx", mimeType: "" }, unread)).toMatchObject({ fileExt: "xlsx" });
});
