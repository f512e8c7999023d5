import { InvalidArgumentError, type Option } from "commander";
import { type Filter, type Metadata, readCondition, readValue } from "@drs/client";

/** Creates a parser of whole numbers from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    return value;
  };
}

/** Reads an ISO 8601 time as milliseconds since the epoch; a time without a zone is UTC. */
export function timeIn(text: string): number {
  const isIso = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text);
  const hasZone = !text.includes("T") || /(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const time = isIso ? Date.parse(hasZone ? text : `${text}Z`) : Number.NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError("It must be a date or a time, such as 2026-11-01 or 2026-11-01T12:00:00Z.");
  return time;
}

/** Reads a number from 0 to 1. */
export function fraction(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!(value >= 0 && value <= 1)) throw new InvalidArgumentError("It must be a number from 0 to 1.");
  return value;
}

/** The words that each list parser accepts, for shell completion. */
const listChoices = new WeakMap<object, readonly string[]>();

/**
 * Returns the words that an option's value, or each entry of its value, must be one of; undefined if any word is
 * accepted.
 */
export function choicesOf({ argChoices, parseArg }: Option): readonly string[] | undefined {
  return argChoices ?? (parseArg === undefined ? undefined : listChoices.get(parseArg));
}

/**
 * Creates a parser of `read,write` or `read write`: every word must be one of the choices, and repeated options add up.
 */
export function choices<Choice extends string>(
  known: readonly Choice[],
): (text: string, before?: readonly Choice[]) => readonly Choice[] {
  const parse = (text: string, before: readonly Choice[] = []): readonly Choice[] => {
    const added = text.split(",").map((word) => {
      const choice = known.find((candidate) => candidate === word.trim());
      if (choice === undefined) throw new InvalidArgumentError(`"${word.trim()}" is not one of ${known.join(", ")}.`);
      return choice;
    });
    return [...before, ...added];
  };
  listChoices.set(parse, known);
  return parse;
}

/** Reads comma-separated words; repeated options add up. */
export function words(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(",").flatMap((word) => word.trim() || [])];
}

/** Reads a value unchanged; repeated options add up. */
export function repeated(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Longest time that a dataset can be kept, days. */
export const maxRetentionDays = 36_500;

/** Creates a parser of days, fractions allowed: more than 0, at most `max`. */
export function daysUpTo(max: number): (text: string) => number {
  return (text) => {
    const value = daysIn(text, max);
    if (value === undefined) throw new InvalidArgumentError(`It must be more than 0 and at most ${max}.`);
    return value;
  };
}

/** Reads the days until a dataset expires; -1 means never. */
export function days(text: string): number {
  const value = text.trim() === "-1" ? -1 : daysIn(text, maxRetentionDays);
  if (value === undefined)
    throw new InvalidArgumentError(`It must be -1 (never), or more than 0 and at most ${maxRetentionDays}.`);
  return value;
}

function daysIn(text: string, max: number): number | undefined {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return value > 0 && value <= max ? value : undefined;
}

/** Reads `name=value`; repeated options add up, and a repeated name gets a list of values. */
export function meta(text: string, before: Metadata = {}): Metadata {
  const at = text.indexOf("=");
  const name = text.slice(0, at).trim();
  if (at < 0 || name === "") throw new InvalidArgumentError("It must be NAME=VALUE, such as year=2024.");
  const value = readValue(text.slice(at + 1).trim());
  const earlier = Object.hasOwn(before, name) ? before[name] : undefined;
  if (earlier === undefined) return { ...before, [name]: value };
  return { ...before, [name]: [earlier, value].flat() };
}

/** Help text of `--ext`. */
export const extHelp = "only documents with these extensions, such as pdf,docx";

/** Help text of `--where`. */
export const whereHelp =
  "only datasets whose metadata matches: 'year>=2020', 'customer=42', 'tags~draft', 'team' (exists), '!team'; repeatable";

/** Reads a condition; repeated options add up, and all of them have to hold. */
export function where(text: string, before: Filter | undefined): Filter {
  const added = conditionOf(text);
  return before === undefined ? added : { $and: [before, added] };
}

function conditionOf(text: string): Filter {
  try {
    return readCondition(text);
  } catch (cause) {
    throw cause instanceof TypeError ? new InvalidArgumentError(cause.message) : cause;
  }
}
