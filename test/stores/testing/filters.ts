import {
  array,
  boolean,
  constantFrom,
  dictionary,
  type JsonValue,
  letrec,
  oneof,
  record,
  type Arbitrary,
} from "fast-check";
import { readFilter } from "../../../server/domain/filters/read.ts";

/** Few enough that filters meet them, with what is easily mixed up: types, signs beyond 16 bits, empty texts. */
const texts = ["", "a", "A", "ab", "b", "é", "\uFF5E", "😀", "%", "_", "'", "1", "true", "2024-01-31T00:00:00Z"];
const numbers = [0, 1, -1, 1.5, 1e21, -1e-7, 2 ** 53];
const scalar = constantFrom<string | number | boolean>(...texts, ...numbers, true, false);
const field = constantFrom("a", "b", "c", "with space", "ü");

/** The metadata of a dataset. */
export const metadata = dictionary(field, oneof({ weight: 3, arbitrary: scalar }, array(scalar, { maxLength: 3 })), {
  noNullPrototype: true,
});

const ordered = scalar.filter((value) => typeof value !== "boolean");
const some = array(scalar, { minLength: 1, maxLength: 4 });

const operators: Arbitrary<JsonValue> = record(
  {
    $eq: scalar,
    $ne: scalar,
    $gt: ordered,
    $gte: ordered,
    $lt: ordered,
    $lte: ordered,
    $in: some,
    $nin: some,
    $contains: scalar,
    $exists: boolean(),
  },
  { requiredKeys: [], noNullPrototype: true },
).filter((given) => Object.keys(given).length > 0);

const condition: Arbitrary<JsonValue> = dictionary(field, oneof(scalar, operators), {
  minKeys: 0,
  maxKeys: 2,
  noNullPrototype: true,
});

/** A filter as callers write it, within the bounds. */
export const filterJson: Arbitrary<JsonValue> = letrec<{ filter: JsonValue }>((tie) => ({
  filter: oneof(
    { maxDepth: 3, depthSize: "medium" },
    condition,
    record({ $and: array(tie("filter"), { minLength: 1, maxLength: 3 }) }, { noNullPrototype: true }),
    record({ $or: array(tie("filter"), { minLength: 1, maxLength: 3 }) }, { noNullPrototype: true }),
    record({ $not: tie("filter") }, { noNullPrototype: true }),
  ),
})).filter.filter(isWithinBounds);

/** Also beside a condition that a test adds. */
function isWithinBounds(json: JsonValue): boolean {
  try {
    readFilter({ $and: [json, { added: 1 }] });
    return true;
  } catch {
    return false;
  }
}
