/** The maximum line length of the Python client, as in its pyproject.toml. */
const maxLine = 120;

/** Returns a docstring without escapes: the comments of the contract have no backslashes and no triple quotes. */
export function docstring(text: string, indent: string): string {
  const quoted = text.replaceAll("\\", "\\\\").replaceAll('"""', "'''");
  const single = `${indent}"""${quoted}"""`;
  if (!text.includes("\n") && single.length <= maxLine && !text.endsWith('"')) return single;
  const lines = quoted.split("\n").flatMap((line) => wrapped(line, maxLine - indent.length));
  const [first = "", ...rest] = lines;
  const body = rest.map((line) => (line === "" ? "" : `${indent}${line}`));
  return [`${indent}"""${first}`, ...body, `${indent}"""`].join("\n");
}

/** Wraps a line at `width` characters. Further lines of a list entry are indented. */
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

/** Returns the code without docstrings, to find the names that it uses. */
export const withoutDocstrings = (code: string): string => code.replace(/"""[^]*?"""/g, "");
