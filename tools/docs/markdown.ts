/** Returns a Markdown table. Escapes bars and replaces line breaks, which would end a cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`).replaceAll(/\s*\n\s*/g, " ")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** Escapes text for the documentation site, which reads `<…>` outside of code as HTML and `{{` as a template. */
export function prose(text: string): string {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;")))
    .join("`");
}

export const code = (text: string): string => `\`${text}\``;

/** Returns each text as code, separated by commas. */
export const codes = (texts: readonly string[]): string => texts.map(code).join(", ");

/** Makes the first letter a capital, and adds a full stop if the text does not end like a sentence. */
export function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
