/** The text of a header: Node gives it as Latin-1, but what is valid UTF-8 was meant as that, whatever the standard says. */
export function headerText(header: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(header, "latin1"));
  } catch {
    return header;
  }
}
