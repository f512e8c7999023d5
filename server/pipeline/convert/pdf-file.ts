import { open } from "node:fs/promises";
import type { ConversionJob } from "./converter.ts";

/** Maximum distance of a PDF's last marker from its end (ISO 32000-1, Annex H.3, implementation note 18). */
const tailBytes = 1024;

/** Whether a file is a PDF that was written to its end. The page engines decide whether it can be opened. */
export async function isWholePdf(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { size } = await file.stat();
    const head = await file.read(Buffer.alloc(5), 0, 5, 0);
    const start = Math.max(0, size - tailBytes);
    const tail = await file.read(Buffer.alloc(tailBytes), 0, tailBytes, start);
    return (
      head.buffer.toString("latin1") === "%PDF-" &&
      tail.buffer.subarray(0, tail.bytesRead).toString("latin1").includes("%%EOF")
    );
  } finally {
    await file.close();
  }
}

/** Returns the options of LibreOffice's PDF export that differ from its defaults, as JSON; undefined if none do. */
export function pdfOptions({ format, lastPage }: Pick<ConversionJob, "format" | "lastPage">): string | undefined {
  if (format !== "xlsx" || lastPage === undefined) return undefined;
  return JSON.stringify({ PageRange: { type: "string", value: `1-${lastPage}` } });
}
