import { type Scalar, type DatasetMetadata, isScalar } from "../datasets/metadata.ts";

/** Conditions on the metadata of datasets, as a tree; `read.ts` documents the notation. */
export type Filter = Condition | Combination;

/**
 * A field has one value, the values of its list, or none. A condition holds if at least one of the values fulfils it.
 * Values of different types are never equal and have no order: a text is not compared with a number.
 */
export type Condition =
  /** Equals one of these values. */
  | { readonly kind: "is"; readonly field: string; readonly values: readonly Scalar[] }
  /** Is before or after this value: numbers by size, texts by their code points. */
  | { readonly kind: "compare"; readonly field: string; readonly by: Comparison; readonly value: string | number }
  /** Is a list that has this value, or a text that contains this text. */
  | { readonly kind: "contains"; readonly field: string; readonly value: Scalar }
  /** The field exists, whatever its value; an empty list counts. */
  | { readonly kind: "exists"; readonly field: string };

export type Comparison = "gt" | "gte" | "lt" | "lte";

export type Combination =
  /** All these filters hold; true if there are none. */
  | { readonly kind: "and"; readonly filters: readonly Filter[] }
  /** At least one of these filters holds. */
  | { readonly kind: "or"; readonly filters: readonly Filter[] }
  | { readonly kind: "not"; readonly filter: Filter };

/** Combines two filters so that both must pass; undefined passes everything. */
export function both(one: Filter | undefined, other: Filter | undefined): Filter | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { kind: "and", filters: [one, other] };
}

/** Whether the filter has no condition at all. */
export function isEverything(filter: Filter): boolean {
  return filter.kind === "and" && filter.filters.every(isEverything);
}

/**
 * Whether metadata passes a filter. This defines the meaning of filters; stores that search by one must agree with
 * it.
 */
export function matches(filter: Filter, metadata: DatasetMetadata): boolean {
  switch (filter.kind) {
    case "and":
      return filter.filters.every((one) => matches(one, metadata));
    case "or":
      return filter.filters.some((one) => matches(one, metadata));
    case "not":
      return !matches(filter.filter, metadata);
    case "exists":
      return Object.hasOwn(metadata, filter.field);
    case "is":
      return valuesOf(metadata, filter.field).some((value) => filter.values.includes(value));
    case "compare":
      return valuesOf(metadata, filter.field).some((value) => holds(filter.by, order(value, filter.value)));
    case "contains": {
      const value = Object.hasOwn(metadata, filter.field) ? metadata[filter.field] : undefined;
      if (typeof value === "string") return typeof filter.value === "string" && value.includes(filter.value);
      return value !== undefined && !isScalar(value) && value.includes(filter.value);
    }
  }
}

function valuesOf(metadata: DatasetMetadata, field: string): readonly Scalar[] {
  const value = Object.hasOwn(metadata, field) ? metadata[field] : undefined;
  if (value === undefined) return [];
  return isScalar(value) ? [value] : value;
}

/** Negative, 0 or positive; undefined if the values have no order. */
function order(one: Scalar, other: string | number): number | undefined {
  if (typeof one === "number" && typeof other === "number") return one - other;
  // UTF-8 bytes sort in the order of code points; UTF-16 code units do not.
  if (typeof one === "string" && typeof other === "string") return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return undefined;
}

function holds(by: Comparison, compared: number | undefined): boolean {
  if (compared === undefined) return false;
  switch (by) {
    case "gt":
      return compared > 0;
    case "gte":
      return compared >= 0;
    case "lt":
      return compared < 0;
    case "lte":
      return compared <= 0;
  }
}

/** Maximum number of combinations of list values that are tried; metadata with more is not accepted. */
const maxChoices = 1_000;

/**
 * Whether metadata passes a filter whichever single value is chosen from each of its lists. One matching value is
 * enough to find a dataset (`matches`), but a dataset that one caller writes must not be found by another through its
 * other values. Implies `matches`.
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
