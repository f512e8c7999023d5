import type { Filter, Metadata, MetadataValue } from "@drs/client";

/** Longer ones first: `>=` is not `>` and a value that begins with `=`. */
const operators = [
  ["!=", "$ne"],
  [">=", "$gte"],
  ["<=", "$lte"],
  ["=", "$eq"],
  [">", "$gt"],
  ["<", "$lt"],
  ["~", "$contains"],
] as const;

/**
 * The filter that a line means, as the `--where` of the command line has it: conditions with commas between, all of which have to
 * hold; `field` and `!field` ask whether there is such a field. Undefined: it is empty. Throws `SyntaxError` for what is none.
 */
export function filterOfText(text: string): Filter | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (trimmed.startsWith("{")) {
    const filter: Filter = JSON.parse(trimmed);
    return filter;
  }
  const conditions = trimmed.split(",").map((part) => conditionOf(part.trim()));
  return conditions.length === 1 ? conditions[0] : { $and: conditions };
}

function conditionOf(text: string): Filter {
  const found = operators
    .map(([sign, name]) => ({ sign, name, at: text.indexOf(sign) }))
    .filter(({ at }) => at > 0)
    .toSorted((one, other) => one.at - other.at)[0];
  if (found === undefined) {
    const isAbsent = text.startsWith("!");
    return { [named(isAbsent ? text.slice(1) : text)]: { $exists: !isAbsent } };
  }
  const value = text.slice(found.at + found.sign.length).trim();
  if (value === "") throw new SyntaxError(`no value: ${text}`);
  return { [named(text.slice(0, found.at))]: { [found.name]: valueOfText(value) } };
}

function named(text: string): string {
  const field = text.trim();
  if (!/^[^\s=!<>~]+$/.test(field)) throw new SyntaxError(`no field: ${text}`);
  return field;
}

/** `true`, `false` and numbers are those; all else, and what is in quotes, is text. */
export function valueOfText(text: string): MetadataValue {
  if (text === "true" || text === "false") return text === "true";
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return Number(text);
  return /^"(.*)"$/.exec(text)?.[1] ?? text;
}

/** Metadata of lines such as `customer=42`; a field that is named again has a list. Throws `SyntaxError` for other lines. */
export function metadataOfText(text: string): Metadata {
  const fields = new Map<string, MetadataValue[]>();
  for (const line of text.split("\n").map((line) => line.trim())) {
    if (line === "") continue;
    const at = line.indexOf("=");
    const value = line.slice(at + 1).trim();
    if (at < 1 || value === "") throw new SyntaxError(`no field with a value: ${line}`);
    const field = named(line.slice(0, at));
    fields.set(field, [...(fields.get(field) ?? []), valueOfText(value)]);
  }
  return Object.fromEntries([...fields].map(([name, values]) => [name, oneOrList(values)]));
}

const oneOrList = (values: readonly MetadataValue[]): MetadataValue | readonly MetadataValue[] => {
  const [first] = values;
  return values.length === 1 && first !== undefined ? first : values;
};
