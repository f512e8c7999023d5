import { invalid } from "./errors.ts";

export interface ListResult<Row> {
  /** Number of all matching rows. */
  readonly total: number;
  readonly data: readonly Row[];
}

export interface SortKey<Property extends string> {
  readonly property: Property;
  readonly descending: boolean;
}

/** The order of every list whose request names none. */
const defaultSort = "-createdAt";

/**
 * Reads sort expressions such as `-createdAt`: a property, with a dash in front for descending. Returns the keys, and
 * the expressions that they were read from, the default included. Throws `invalid`, naming the properties that can be
 * sorted by.
 */
export function parseSort<Property extends string>(
  asked: readonly string[],
  properties: readonly Property[],
): { expressions: readonly string[]; keys: readonly SortKey<Property>[] } {
  const trimmed = asked.flatMap((expression) => expression.split(",")).flatMap((expression) => expression.trim() || []);
  const expressions = trimmed.length === 0 ? [defaultSort] : trimmed;
  const keys = expressions.map((expression) => {
    const descending = expression.startsWith("-");
    const name = descending ? expression.slice(1) : expression;
    const property = properties.find((candidate) => candidate === name);
    if (property === undefined) {
      throw invalid(
        `cannot sort by "${name}"; use ${properties.join(", ")}, each with an optional "-" in front for descending`,
      );
    }
    return { property, descending };
  });
  return { expressions, keys };
}
