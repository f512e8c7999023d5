import type { DenseSpace, SpaceRef } from "../../../domain/ports/vectors.ts";

export const pack = "pack@1.0.0";

export const dense = (name: string, more: Partial<DenseSpace>): DenseSpace => ({
  kind: "dense",
  pack,
  name,
  dimensions: 4,
  ...more,
});

/** A space of every kind that has features. */
export const spacesOfEachKind: readonly SpaceRef[] = [
  { kind: "lexical", pack, name: "words" },
  dense("text", { firstPass: "first" }),
  dense("late", { firstPass: "pooled", scoring: "max-sim" }),
  dense("picture", {}),
];

export const vector = (...values: number[]): Float32Array => Float32Array.from(values);
