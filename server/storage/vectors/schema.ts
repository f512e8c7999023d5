import type { DenseSpace } from "../../domain/ports/vectors.ts";

/** Are the vectors of the space's pages kept as codes (`codes.ts`)? */
export const isCoded = ({ firstPass, scoring = "best" }: DenseSpace): boolean =>
  firstPass === "first" && scoring === "best";
