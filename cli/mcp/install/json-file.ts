import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { CliError } from "../../failures.ts";

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
