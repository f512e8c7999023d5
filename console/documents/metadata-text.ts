import { type Filter, type Metadata, readCondition, readValue } from "@drs/client";

/**
 * The filter that a line means: conditions as `--where` of the command line has them, with commas between, all of which have to
 * hold; or a whole filter as JSON. Undefined: it is empty. Throws `TypeError` for what is none.
 */
export function filterOfText(text: string): Filter | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (trimmed.startsWith("{")) return readCondition(trimmed);
  const conditions = trimmed.split(",").map(conditionOf);
  return conditions.length === 1 ? conditions[0] : { $and: conditions };
}

function conditionOf(text: string): Filter {
  if (/[=<>~]\s*$/.test(text)) throw new TypeError(`no value: ${text}`);
  return readCondition(text);
}

/** Metadata of lines such as `customer=42`; a field that is named again has a list. Throws `TypeError` for other lines. */
export function metadataOfText(text: string): Metadata {
  const fields = new Map<string, Metadata[string]>();
  for (const line of text.split("\n").map((line) => line.trim())) {
    if (line === "") continue;
    const at = line.indexOf("=");
    const [field, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    if (at < 1 || field === "" || value === "") throw new TypeError(`no field with a value: ${line}`);
    const before = fields.get(field);
    fields.set(field, before === undefined ? readValue(value) : [before, readValue(value)].flat());
  }
  return Object.fromEntries(fields);
}
