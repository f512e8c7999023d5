import type { Filter } from "@drs/client";
import { InvalidArgumentError } from "commander";
import { listOrValue, valueOf } from "./meta.ts";

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

/** What help says of `--where`. */
export const whereHelp =
  "only datasets like this, by their metadata: 'year>=2020', 'customer=42', 'tags~draft', 'team' (has it), '!team'; repeatable";

/**
 * A condition, collected over repetitions, all of which have to hold: `field`, `!field`, or a field, an operator and a value,
 * where `=` and `!=` take a list as JSON as well; or a whole filter as JSON.
 */
export function where(text: string, before: Filter | undefined): Filter {
  const added = conditionOf(text.trim());
  return before === undefined ? added : { $and: [before, added] };
}

function conditionOf(text: string): Filter {
  if (text.startsWith("{")) return filterOf(text);
  const found = operators
    .map(([sign, name]) => ({ sign, name, at: text.indexOf(sign) }))
    .filter(({ at }) => at >= 0)
    // The first in the text; of several at one place the longest, which stands first.
    .toSorted((one, other) => one.at - other.at)[0];
  if (found === undefined) return existence(text);
  const field = named(text.slice(0, found.at));
  const value = text.slice(found.at + found.sign.length).trim();
  if (found.name !== "$eq" && found.name !== "$ne") return { [field]: { [found.name]: valueOf(value) } };
  const wanted = listOrValue(value);
  if (typeof wanted !== "object") return { [field]: { [found.name]: wanted } };
  return { [field]: { [found.name === "$eq" ? "$in" : "$nin"]: wanted } };
}

function existence(text: string): Filter {
  const isAbsent = text.startsWith("!");
  return { [named(isAbsent ? text.slice(1) : text)]: { $exists: !isAbsent } };
}

function named(text: string): string {
  const field = text.trim();
  if (field === "") throw new InvalidArgumentError("It names no field; write it as 'year>=2020'.");
  return field;
}

function filterOf(text: string): Filter {
  try {
    const filter: Filter = JSON.parse(text);
    return filter;
  } catch {
    throw new InvalidArgumentError("It begins like JSON and is none.");
  }
}
