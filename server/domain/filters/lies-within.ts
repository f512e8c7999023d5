import { type DatasetMetadata, isScalar, type Scalar } from "../datasets/metadata.ts";
import type { Filter } from "./filter.ts";
import { matches } from "./matches.ts";

/** Choices that one part of a filter is tried with: one value of each of its lists. Metadata of more does not lie within it. */
const maxChoices = 1_000;

/**
 * Whether metadata passes a filter with whichever value of each of its lists alone. To find a dataset, one value of a list is
 * enough (`matches`); what one caller writes must not be found by another for the values beside it. Implies `matches`.
 */
export function liesWithin(filter: Filter, metadata: DatasetMetadata): boolean {
  if (filter.kind === "and") return filter.filters.every((one) => liesWithin(one, metadata));
  const choices = choicesOf(metadata, new Set(fieldsOf(filter)));
  return choices !== undefined && choices.every((choice) => matches(filter, choice));
}

/** The metadata with each one value of the lists of these fields; undefined: there are too many. A list without values stays. */
function choicesOf(metadata: DatasetMetadata, fields: ReadonlySet<string>): readonly DatasetMetadata[] | undefined {
  let choices: readonly DatasetMetadata[] = [metadata];
  for (const field of fields) {
    const values = severalValues(metadata, field);
    if (values.length * choices.length > maxChoices) return undefined;
    // It stays a list, as `contains` tells lists from texts.
    if (values.length > 0) choices = choices.flatMap((one) => values.map((value) => ({ ...one, [field]: [value] })));
  }
  return choices;
}

/** The different values of a list that has several; none where there is nothing to choose. */
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
