/** Decodes a header, which Node gives as Latin-1: valid UTF-8 is treated as UTF-8, whatever the standard says. */
export function headerText(header: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(header, "latin1"));
  } catch {
    return header;
  }
}
