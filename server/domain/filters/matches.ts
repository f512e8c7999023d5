import { type DatasetMetadata, isScalar, type Scalar } from "../datasets/metadata.ts";
import type { Comparison, Filter } from "./filter.ts";

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
