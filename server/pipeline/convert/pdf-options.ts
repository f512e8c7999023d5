import type { ConversionJob } from "./converter.ts";

/** The options of LibreOffice's PDF export that differ from its defaults, as JSON; undefined if none do. */
export function pdfOptions({ format, lastPage }: Pick<ConversionJob, "format" | "lastPage">): string | undefined {
  if (format !== "xlsx" || lastPage === undefined) return undefined;
  return JSON.stringify({ PageRange: { type: "string", value: `1-${lastPage}` } });
}
