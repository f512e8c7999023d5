/** How a document is read: as it is, or by the converter of that format. */
export type DocumentFormat = "pdf" | "docx" | "pptx" | "xlsx";

/** The detected type of a document, whatever its name or declared type says. */
export interface DocumentKind {
  /** The format it is read as; also the file extension that a converter expects. */
  readonly format: DocumentFormat;
  /** Without a dot; names the variant (`docm`). */
  readonly fileExt: string;
  readonly mimeType: string;
}

/** An Office Open XML variant and how to recognise it. */
interface OfficeVariant extends DocumentKind {
  /** Content type of the main part (ECMA-376 Part 1, and Microsoft's for the macro-enabled ones). */
  readonly mainType: string;
  /** Local name of the main part's root element. */
  readonly root: string;
}

export const pdfKind: DocumentKind = { format: "pdf", fileExt: "pdf", mimeType: "application/pdf" };

const openXml = "application/vnd.openxmlformats-officedocument";
const word = { format: "docx", root: "document" } as const;
const slides = { format: "pptx", root: "presentation" } as const;
const sheets = { format: "xlsx", root: "workbook" } as const;

// A file's MIME type is its main part's content type with another ending.
const plain = (name: string) => ({ mainType: `${openXml}.${name}.main+xml`, mimeType: `${openXml}.${name}` });
const macro = (name: string) => ({
  mainType: `application/vnd.ms-${name}.main+xml`,
  mimeType: `application/vnd.ms-${name.replace(/\.macroEnabled.*$/, ".macroEnabled.12")}`,
});

const variants: readonly OfficeVariant[] = [
  { ...word, fileExt: "docx", ...plain("wordprocessingml.document") },
  { ...word, fileExt: "dotx", ...plain("wordprocessingml.template") },
  { ...word, fileExt: "docm", ...macro("word.document.macroEnabled") },
  { ...word, fileExt: "dotm", ...macro("word.template.macroEnabledTemplate") },
  { ...slides, fileExt: "pptx", ...plain("presentationml.presentation") },
  { ...slides, fileExt: "ppsx", ...plain("presentationml.slideshow") },
  { ...slides, fileExt: "potx", ...plain("presentationml.template") },
  { ...slides, fileExt: "pptm", ...macro("powerpoint.presentation.macroEnabled") },
  { ...slides, fileExt: "ppsm", ...macro("powerpoint.slideshow.macroEnabled") },
  { ...slides, fileExt: "potm", ...macro("powerpoint.template.macroEnabled") },
  { ...sheets, fileExt: "xlsx", ...plain("spreadsheetml.sheet") },
  { ...sheets, fileExt: "xltx", ...plain("spreadsheetml.template") },
  { ...sheets, fileExt: "xlsm", ...macro("excel.sheet.macroEnabled") },
  { ...sheets, fileExt: "xltm", ...macro("excel.template.macroEnabled") },
];

/** The variant whose main part has this content type. MIME types are compared without regard to case (RFC 2045). */
export function officeVariant(mainType: string): OfficeVariant | undefined {
  const wanted = mainType.trim().toLowerCase();
  return variants.find((variant) => variant.mainType.toLowerCase() === wanted);
}

/** The kind that a dataset was stored with. */
export function kindOfExt(fileExt: string): DocumentKind | undefined {
  if (fileExt === pdfKind.fileExt) return pdfKind;
  const found = variants.find((variant) => variant.fileExt === fileExt);
  return found && { format: found.format, fileExt: found.fileExt, mimeType: found.mimeType };
}

/** The extensions that datasets are stored with. */
export const fileExts: readonly string[] = [pdfKind, ...variants].map(({ fileExt }) => fileExt);

/** The advice for a file of any other type. */
export const uploadAdvice = "upload a PDF, Word, PowerPoint or Excel document (pdf, docx, pptx, xlsx)";
