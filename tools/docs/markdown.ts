/** A table of Markdown. Cells are text, in which a bar or a line break would end the cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`).replaceAll(/\s*\n\s*/g, " ")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** Text of a definition as Markdown: the site takes `<…>` outside of code for elements of HTML. */
export function prose(text: string): string {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;")))
    .join("`");
}

export const code = (text: string): string => `\`${text}\``;

/** `code` for each, comma-separated. */
export const codes = (texts: readonly string[]): string => texts.map(code).join(", ");

/** The first letter is capital, and the end is a full stop. */
export function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
