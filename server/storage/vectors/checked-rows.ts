import type { DenseSpace, SpaceRef, StoredRow } from "../../domain/ports/vectors.ts";
import { checkCodes } from "./checked-codes.ts";
import { isCoded } from "./schema.ts";

/** Maximum number of vectors of a page: more than late interaction makes of a large picture. */
const maxVectors = 4_096;
/** Maximum number of characters of a page's terms: a few times what a page with 16 MB of words has. */
const maxTerms = 2 ** 26;

/**
 * Throws `TypeError`, with the reason, on a row from elsewhere that no page could have in this space. Reading and
 * ranking rely on properties of the rows that this code writes, such as vectors of length 1.
 */
export function checkRow(space: SpaceRef, row: StoredRow): void {
  if (space.kind === "dense") checkVectors(space, row);
  else if (!("terms" in row)) throw new TypeError("a row of vectors in a space of words");
  else if (!areTerms(row.terms)) throw new TypeError("terms that are not those of a page's words");
}

/** Whether the terms are words separated by single spaces. */
const areTerms = (terms: string): boolean =>
  terms !== "" && terms.length <= maxTerms && terms.isWellFormed() && !/^ | $| {2}|[\p{Cc}]/u.test(terms);

function checkVectors(space: DenseSpace, row: StoredRow): void {
  if ("terms" in row) throw new TypeError("a row of words in a space of vectors");
  if ("codes" in row) {
    if (!isCoded(space)) throw new TypeError("codes in a space that keeps vectors");
    checkCodes(row, { dimensions: space.dimensions, maxVectors });
    return;
  }
  const { vectors, pooled = [] } = row;
  if (vectors.length === 0 || vectors.length > maxVectors || pooled.length > vectors.length)
    throw new TypeError(`${vectors.length} vectors, and ${pooled.length} that stand for them`);
  for (const vector of [...vectors, ...pooled]) {
    if (vector.length !== space.dimensions)
      throw new TypeError(`a vector of ${vector.length} dimensions in a space of ${space.dimensions}`);
    if (!vector.every(Number.isFinite)) throw new TypeError("a vector with values that are no numbers");
  }
}
