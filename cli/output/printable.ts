import stringWidth from "string-width";

/**
 * Makes text from documents and servers safe to print: a terminal obeys control characters, and bidirectional marks can
 * make a name look like another one.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, "\uFFFD");
}

/** Pads the text to that many columns of the terminal. */
export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - stringWidth(text)));
}

export function padStart(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - stringWidth(text))) + text;
}

/** Cuts the text in the middle to that many columns, because the ends of names differ more than their middles. */
export function shorten(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  const characters = Array.from(text);
  let keep = characters.length;
  let cut = text;
  while (keep > 1 && stringWidth(cut) > columns) {
    keep -= 1;
    const head = Math.ceil(keep / 2);
    cut = `${characters.slice(0, head).join("")}…${characters.slice(characters.length - (keep - head)).join("")}`;
  }
  return cut;
}

export { stringWidth };
