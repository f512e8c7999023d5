import type { DescService } from "@bufbuild/protobuf";

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

const keywords: ReadonlySet<string> = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

export const snake = (name: string): string => name.replace(/(?<=[a-z0-9])[A-Z]/g, "_$&").toLowerCase();

/** Returns the name of a field or parameter; Python's keywords get an underscore at the end. */
export const pythonName = (name: string): string => (keywords.has(name) ? `${name}_` : name);

/** Returns the noun of a service: "Dataset" of "DatasetService". */
const nounOf = ({ name }: DescService): string => name.replace(/Service$/, "");

/** Nouns without a plural. */
const uncountable: ReadonlySet<string> = new Set(["Search", "Usage"]);

const pluralOf = (noun: string): string => (uncountable.has(noun) ? noun : `${noun}s`);

/** Returns the class name of a service: "Datasets" of "DatasetService". The class for asyncio has the prefix "Async". */
export const className = (service: DescService): string => pluralOf(nounOf(service));

/**
 * Returns the method name without the noun of its service: "list" of "ListDatasets", "list_keys" of "ListKeys"; "delete_many" of
 * "DeleteDatasets", because "DeleteDataset" is "delete".
 */
export function methodName(service: DescService, name: string): string {
  const noun = nounOf(service);
  const short = name.replace(new RegExp(`(?<=.)(${pluralOf(noun)}|${noun})$`), "");
  const isOfMany =
    name === `${short}${pluralOf(noun)}` && service.methods.some((one) => one.name === `${short}${noun}`);
  return pythonName(`${snake(short)}${isOfMany && pluralOf(noun) !== noun ? "_many" : ""}`);
}

/** Returns the name of the method for one page of a list: "page" for "list", "page_keys" for "list_keys", "get_page" for "get". */
export function pageNameOf(name: string): string {
  return /^list(_|$)/.test(name) ? name.replace(/^list/, "page") : `${name}_page`;
}

export const constantName = (name: string): string => snake(name).toUpperCase();
