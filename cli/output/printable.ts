import stringWidth from "string-width";

/**
 * Text from documents and servers as it may be shown: a terminal obeys control characters, and directional marks make
 * names read as what they are not.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, "\uFFFD");
}

/** The text, filled up to so many columns of the terminal. */
export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - stringWidth(text)));
}

export function padStart(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - stringWidth(text))) + text;
}

/** The text, cut in the middle to so many columns: the ends of names differ more than their middles. */
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
