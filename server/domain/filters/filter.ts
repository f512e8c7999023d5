import type { Scalar } from "../datasets/metadata.ts";

/** Conditions on the metadata of datasets, as a tree; `read.ts` documents the notation. */
export type Filter = Condition | Combination;

/**
 * A field has values: one, those of its list, or none. A condition holds if one of them fulfils it. Values of
 * different types are never equal and have no order: a text is not compared with a number.
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
  /** All of them hold; true if there are none. */
  | { readonly kind: "and"; readonly filters: readonly Filter[] }
  /** At least one of them holds. */
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
