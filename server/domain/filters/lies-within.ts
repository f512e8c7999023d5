import { type DatasetMetadata, isScalar, type Scalar } from "../datasets/metadata.ts";
import type { Filter } from "./filter.ts";
import { matches } from "./matches.ts";

/** Maximum number of combinations of list values that are tried; metadata with more is not accepted. */
const maxChoices = 1_000;

/**
 * Whether metadata passes a filter with every single value of each of its lists. One matching value is enough to
 * find a dataset (`matches`), but what one caller writes must not be found by another through its other values.
 * Implies `matches`.
 */
export function liesWithin(filter: Filter, metadata: DatasetMetadata): boolean {
  if (filter.kind === "and") return filter.filters.every((one) => liesWithin(one, metadata));
  const choices = choicesOf(metadata, new Set(fieldsOf(filter)));
  return choices !== undefined && choices.every((choice) => matches(filter, choice));
}

/**
 * All variants of the metadata in which each list of these fields has one of its values; undefined if there are too
 * many. An empty list stays.
 */
function choicesOf(metadata: DatasetMetadata, fields: ReadonlySet<string>): readonly DatasetMetadata[] | undefined {
  let choices: readonly DatasetMetadata[] = [metadata];
  for (const field of fields) {
    const values = severalValues(metadata, field);
    if (values.length * choices.length > maxChoices) return undefined;
    // The value stays a list, because `contains` distinguishes lists from texts.
    if (values.length > 0) choices = choices.flatMap((one) => values.map((value) => ({ ...one, [field]: [value] })));
  }
  return choices;
}

/** The distinct values of a list that has several; empty if there is nothing to choose. */
function severalValues(metadata: DatasetMetadata, field: string): readonly Scalar[] {
  const value = Object.hasOwn(metadata, field) ? metadata[field] : undefined;
  if (value === undefined || isScalar(value)) return [];
  const different = [...new Set(value)];
  return different.length > 1 ? different : [];
}

function fieldsOf(filter: Filter): readonly string[] {
  switch (filter.kind) {
    case "and":
    case "or":
      return filter.filters.flatMap(fieldsOf);
    case "not":
      return fieldsOf(filter.filter);
    default:
      return [filter.field];
  }
}
