import type { Metadata, MetadataValue } from "@drs/client";
import { InvalidArgumentError } from "commander";

/** `name=value`, collected over repetitions; a name that comes again has a list of values. */
export function meta(text: string, before: Metadata = {}): Metadata {
  const at = text.indexOf("=");
  const name = text.slice(0, at).trim();
  if (at < 0 || name === "") throw new InvalidArgumentError("It must be NAME=VALUE, such as year=2024.");
  const value = listOrValue(text.slice(at + 1).trim());
  const earlier = Object.hasOwn(before, name) ? before[name] : undefined;
  if (earlier === undefined) return { ...before, [name]: value };
  return { ...before, [name]: [earlier, value].flat() };
}

/** A value, or a list as JSON has it. */
export function listOrValue(text: string): MetadataValue | readonly MetadataValue[] {
  const parsed = parsedJson(text);
  return Array.isArray(parsed) && parsed.every(isValue) ? parsed : valueOf(text);
}

/** Numbers, `true` and `false` are what they look like; everything else is text, as well as what stands in `"`. */
export function valueOf(text: string): MetadataValue {
  const parsed = parsedJson(text);
  return isValue(parsed) ? parsed : text;
}

function isValue(value: unknown): value is MetadataValue {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function parsedJson(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    // A word without quotation marks.
    return undefined;
  }
}
