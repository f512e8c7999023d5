import type { Scalar } from "../datasets/metadata.ts";

/** What the datasets that are meant have in their metadata, as a tree of conditions; `read.ts` says how it is written. */
export type Filter = Condition | Combination;

/**
 * A field has values: one, those of its list, or none. A condition holds if one of them fulfils it. Values of different types
 * are never equal and in no order: a text is not compared with a number.
 */
export type Condition =
  /** Is one of these. */
  | { readonly kind: "is"; readonly field: string; readonly values: readonly Scalar[] }
  /** Is before or after this: numbers by size, texts by their code points. */
  | { readonly kind: "compare"; readonly field: string; readonly by: Comparison; readonly value: string | number }
  /** Is a list that has this, or a text with this text in it. */
  | { readonly kind: "contains"; readonly field: string; readonly value: Scalar }
  /** There is such a field, of whatever value; also an empty list. */
  | { readonly kind: "exists"; readonly field: string };

export type Comparison = "gt" | "gte" | "lt" | "lte";

export type Combination =
  /** All of them; everything where there are none. */
  | { readonly kind: "and"; readonly filters: readonly Filter[] }
  /** At least one of them. */
  | { readonly kind: "or"; readonly filters: readonly Filter[] }
  | { readonly kind: "not"; readonly filter: Filter };

/** What passes both; undefined: everything does. */
export function both(one: Filter | undefined, other: Filter | undefined): Filter | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { kind: "and", filters: [one, other] };
}

/** Whether it has no condition at all. */
export function isEverything(filter: Filter): boolean {
  return filter.kind === "and" && filter.filters.every(isEverything);
}
