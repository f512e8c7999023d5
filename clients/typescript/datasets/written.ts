import { type Filter, isValue, type Metadata, type MetadataValue } from "./metadata.ts";

/** Longer operators first: `>=` is not `>` followed by a value that begins with `=`. */
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
 * Parses a condition as people write it: `field`, `!field`, or a field, an operator and a value, where `=` and `!=`
 * also take a JSON list; or a whole filter as JSON. Throws `TypeError` for anything else.
 */
export function readCondition(written: string): Filter {
  const text = written.trim();
  if (text.startsWith("{")) return parseFilter(text);
  const found = operators
    .map(([sign, name]) => ({ sign, name, at: text.indexOf(sign) }))
    .filter(({ at }) => at >= 0)
    // The first operator in the text; if several match at one place, the longest, which is listed first.
    .toSorted((one, other) => one.at - other.at)[0];
  if (found === undefined) return existence(text);
  const field = named(text.slice(0, found.at));
  const after = text.slice(found.at + found.sign.length);
  // Operators such as `==` and `=>` would be taken for part of the value and silently find nothing.
  const strange = /^[=<>]+/.exec(after)?.[0];
  if (strange !== undefined) {
    throw new TypeError(
      `There is no operator ${found.sign}${strange}; the operators are =, !=, >, >=, <, <= and ~. Put a value that begins like this in quotation marks.`,
    );
  }
  const value = after.trim();
  if (found.name !== "$eq" && found.name !== "$ne") return { [field]: { [found.name]: valueOf(value) } };
  const wanted = readValue(value);
  if (typeof wanted !== "object") return { [field]: { [found.name]: wanted } };
  return { [field]: { [found.name === "$eq" ? "$in" : "$nin"]: wanted } };
}

/**
 * Parses a value of metadata as people write it: numbers, `true` and `false` as in JSON, a list as JSON, and anything
 * else, with or without quotation marks, as a string.
 */
export function readValue(text: string): Metadata[string] {
  const parsed = parsedJson(text);
  return Array.isArray(parsed) && parsed.every(isValue) ? parsed : valueOf(text);
}

function valueOf(text: string): MetadataValue {
  const parsed = parsedJson(text);
  return isValue(parsed) ? parsed : text;
}

function existence(text: string): Filter {
  const isAbsent = text.startsWith("!");
  return { [named(isAbsent ? text.slice(1) : text)]: { $exists: !isAbsent } };
}

function named(text: string): string {
  const field = text.trim();
  if (field === "") throw new TypeError("It names no field; write it as 'year>=2020'.");
  return field;
}

function parseFilter(text: string): Filter {
  const parsed = parsedJson(text);
  if (!isFilter(parsed)) throw new TypeError("It begins like JSON but is not valid JSON.");
  return parsed;
}

/** Returns whether the value is an object; the service checks its fields. */
const isFilter = (value: unknown): value is Filter => typeof value === "object" && value !== null;

function parsedJson(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    // A string without quotation marks.
    return undefined;
  }
}
