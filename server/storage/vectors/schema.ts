import type { DenseSpace } from "../../domain/ports/vectors.ts";

/** Whether the vectors of the space's pages are stored as codes (`codes.ts`). */
export const isCoded = ({ firstPass, scoring = "best" }: DenseSpace): boolean =>
  firstPass === "first" && scoring === "best";
