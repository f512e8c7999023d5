import { type Filter, type Metadata, readCondition, readValue } from "@drs/client";

/** A comma outside of quotation marks and lists. */
const between = /,(?=(?:[^"]*"[^"]*")*[^"]*$)(?![^[]*\])/;

/**
 * Parses a filter: conditions as in `--where` of the command line, separated by commas, all of which have to hold; or a filter as
 * JSON. Returns undefined for an empty text. Throws `TypeError` if the text is not a filter.
 */
export function filterOfText(text: string): Filter | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (trimmed.startsWith("{")) return readCondition(trimmed);
  const conditions = trimmed.split(between).map(conditionOf);
  return conditions.length === 1 ? conditions[0] : { $and: conditions };
}

function conditionOf(text: string): Filter {
  if (/[=<>~]\s*$/.test(text)) throw new TypeError(`no value: ${text}`);
  return readCondition(text);
}

const signs: Readonly<Record<string, string>> = {
  $eq: "=",
  $ne: "!=",
  $gt: ">",
  $gte: ">=",
  $lt: "<",
  $lte: "<=",
  $in: "=",
  $nin: "!=",
  $contains: "~",
};

/** Writes a filter as `filterOfText` reads it; as JSON if it is more than conditions that all have to hold. */
export function textOfFilter(filter: Filter): string {
  return conditionsOf(filter)?.join(", ") ?? JSON.stringify(filter);
}

/** Returns undefined if the filter is more than a list of conditions. */
function conditionsOf({ $and = [], ...fields }: Filter): readonly string[] | undefined {
  const all = [
    ...Object.entries(fields).map(([field, wanted]) => conditionsOn(field, wanted)),
    ...$and.map(conditionsOf),
  ];
  const known = all.filter((conditions) => conditions !== undefined);
  return known.length === all.length ? known.flat() : undefined;
}

function conditionsOn(field: string, wanted: Filter[string]): readonly string[] | undefined {
  // A name with other characters could be misread.
  if (!/^[\p{L}\p{N}_.-]+$/u.test(field)) return undefined;
  if (typeof wanted !== "object") return wanted === undefined ? [] : [`${field}=${valueText(wanted)}`];
  const written = Object.entries(wanted).map(([name, value]: readonly [string, unknown]) => {
    if (name === "$exists") return value === true ? field : `!${field}`;
    const sign = signs[name];
    return sign === undefined ? undefined : `${field}${sign}${valueText(value)}`;
  });
  return written.every((condition) => condition !== undefined) ? written : undefined;
}

/** Writes text without quotes unless it would be misread. */
const valueText = (value: unknown): string =>
  typeof value === "string" &&
  /^[\p{L}\p{N}_.\- ]+$/u.test(value) &&
  readValue(value) === value &&
  value.trim() === value
    ? value
    : JSON.stringify(value);

/** Parses metadata from lines such as `customer=42`. A repeated field becomes a list. Throws `TypeError` for other lines. */
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
