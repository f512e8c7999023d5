import { isDeepStrictEqual } from "node:util";
import { parse as parseToml, stringify, type TomlTable } from "smol-toml";
import { CliError } from "../../failures.ts";
import { applyEdits, modify, parse, type ParseError, printParseErrorCode } from "jsonc-parser";

/** Returns the text of a JSON file, comments allowed, with a value at a path; everything else stays as it is. */
export function withJsonEntry(text: string, path: readonly string[], value: object): string {
  const errors: ParseError[] = [];
  const before = text.trim() === "" ? "{}\n" : text;
  const root: unknown = parse(before, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) throw damaged(`${printParseErrorCode(first.error)} at character ${first.offset + 1}`);
  if (!isObject(root)) throw damaged("it is not an object");
  // Refuses to overwrite a parent that is not an object.
  for (let at: unknown = root, depth = 0; depth < path.length - 1; depth += 1) {
    at = isObject(at) ? Reflect.get(at, path[depth] ?? "") : undefined;
    if (at !== undefined && !isObject(at)) throw damaged(`${path.slice(0, depth + 1).join(".")} is not an object`);
  }
  const indent = /^([ \t]+)\S/m.exec(before)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: before.includes("\r\n") ? "\r\n" : "\n",
  };
  return applyEdits(before, modify(before, [...path], value, { formattingOptions }));
}

function damaged(what: string): CliError {
  return new CliError(`the file is damaged: ${what}`, {
    next: "repair it, or add the shown entry by hand",
  });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns the text of a TOML file with a table at a path of two names; everything else, comments included, stays as it
 * is. Writing the whole file again would lose comments, so only the lines of that table are replaced, and the result is
 * parsed and compared.
 */
export function withTomlEntry(text: string, [group, name]: readonly [string, string], entry: object): string {
  const before = read(text);
  const others = before[group] ?? {};
  if (!isTable(others)) throw unusual();
  const table = stringify({ [group]: { [name]: entry } });
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const start = lines.findIndex((line) => headerOf(line) === `${group}.${name}`);
  let after: string;
  if (start < 0) {
    after = [...lines, ...(lines.length === 0 ? [] : [""]), table].join("\n");
  } else {
    const length = lines.slice(start + 1).findIndex((line) => {
      const header = headerOf(line);
      return header !== undefined && !header.startsWith(`${group}.${name}.`);
    });
    const end = length < 0 ? lines.length : start + 1 + length;
    // Comments and empty lines at the end belong to the next table.
    let last = end;
    while (last > start + 1 && /^\s*(?:#.*)?$/.test(lines[last - 1] ?? "")) last -= 1;
    after = [...lines.slice(0, start), table.replace(/\n$/, ""), ...lines.slice(last)].join("\n");
  }
  const whole = after.endsWith("\n") ? after : `${after}\n`;
  if (!isDeepStrictEqual(plain(read(whole)), plain({ ...before, [group]: { ...others, [name]: entry } })))
    throw unusual();
  return whole;
}

/** Returns the name in the header of a table, in its usual spelling; undefined if the line is not a header. */
function headerOf(line: string): string | undefined {
  const name = /^\s*\[\s*([^[\]]+?)\s*\]\s*(?:#.*)?$/.exec(line)?.[1];
  return name?.replaceAll(/\s*\.\s*/g, ".").replaceAll('"', "");
}

function read(text: string): TomlTable {
  try {
    return parseToml(text);
  } catch (cause) {
    throw new CliError(
      `the file is not valid TOML: ${cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : ""}`,
      {
        next: "repair it, or add the shown entry by hand",
      },
    );
  }
}

function unusual(): CliError {
  return new CliError("the file has the entry in a form that cannot be changed automatically", {
    next: "change it by hand to the shown entry",
  });
}

function isTable(value: unknown): value is TomlTable {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Removes the prototypes of parsed values. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? `${one}n` : one)));
}
