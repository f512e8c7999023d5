/** The kind of a document, which is needed to start a session. */
export interface FileKind {
  /** File extension without a dot. */
  readonly fileExt: string;
  readonly fileType: string;
}

const openXml = "application/vnd.openxmlformats-officedocument";
/** Media types by extension; the service distinguishes variants with templates and macros. */
const mediaTypes: ReadonlyMap<string, string> = new Map([
  ["pdf", "application/pdf"],
  ["docx", `${openXml}.wordprocessingml.document`],
  ["pptx", `${openXml}.presentationml.presentation`],
  ["xlsx", `${openXml}.spreadsheetml.sheet`],
]);
const unknownType = "application/octet-stream";

/** A PDF may have this many bytes before its header; readers accept that. */
export const headBytes = 1024;

/**
 * Returns the kind of a document by its name, else by its media type, else by its first bytes. Throws `TypeError` if
 * none of them is conclusive; all Office formats begin alike.
 */
export async function kindOf(
  { fileName, mimeType }: { readonly fileName: string; readonly mimeType: string },
  head: () => Promise<Uint8Array>,
): Promise<FileKind> {
  const declared = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const fromName = /\.([a-z0-9]{1,16})$/i.exec(fileName)?.[1]?.toLowerCase();
  if (fromName !== undefined) {
    return { fileExt: fromName, fileType: declared || (mediaTypes.get(fromName) ?? unknownType) };
  }
  for (const [fileExt, fileType] of mediaTypes) if (fileType === declared) return { fileExt, fileType };
  const first = String.fromCharCode(...(await head()));
  if (first.includes("%PDF-")) return { fileExt: "pdf", fileType: "application/pdf" };
  throw new TypeError(
    first.startsWith("PK")
      ? `"${fileName}" looks like an Office document; pass a fileName that says which one, such as report.docx`
      : `cannot tell what kind of document "${fileName}" is; pass a fileName such as report.pdf`,
  );
}
