/** Longest line of the Python client; its pyproject.toml says the same. */
const maxLine = 120;

/** A docstring, without escapes: the comments of the contract have no backslashes and no three quotes in a row. */
export function docstring(text: string, indent: string): string {
  const quoted = text.replaceAll("\\", "\\\\").replaceAll('"""', "'''");
  const single = `${indent}"""${quoted}"""`;
  if (!text.includes("\n") && single.length <= maxLine && !text.endsWith('"')) return single;
  const lines = quoted.split("\n").flatMap((line) => wrapped(line, maxLine - indent.length));
  const [first = "", ...rest] = lines;
  const body = rest.map((line) => (line === "" ? "" : `${indent}${line}`));
  return [`${indent}"""${first}`, ...body, `${indent}"""`].join("\n");
}

/** Lines of at most so many characters. What belongs to an entry of a list stands further to the right than its first line. */
function wrapped(line: string, width: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? "";
  const further = indent !== "" || line.startsWith("- ") ? `${indent}    ` : "";
  const lines: string[] = [];
  let current = indent;
  for (const word of line.trim().split(" ")) {
    const isFirst = current.trim() === "";
    // Three characters for the quotes before the first line.
    if (!isFirst && current.length + 1 + word.length > width - 3) {
      lines.push(current);
      current = `${further}${word}`;
    } else current = isFirst ? `${indent}${word}` : `${current} ${word}`;
  }
  return [...lines, current.trimEnd()];
}

/** The code alone, to see which names it uses. */
export const withoutDocstrings = (code: string): string => code.replace(/"""[^]*?"""/g, "");
