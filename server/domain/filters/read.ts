import { checkFieldName, checkScalar, isScalar, type Scalar } from "../datasets/metadata.ts";
import { invalid } from "../errors.ts";
import type { Filter } from "./filter.ts";

/** Limits of a filter: far more than people write, and few enough for every store. */
export const maxFilter = { depth: 5, nodes: 100, values: 1_000 } as const;

/**
 * Reads a filter from parsed JSON, in the style of MongoDB:
 *
 *     filter := {field: scalar | {operator: value, …}, "$and" | "$or": [filter, …], "$not": filter, …}
 *     operator := $eq $ne $gt $gte $lt $lte $in $nin $contains $exists
 *
 * All entries of an object have to hold. `$ne` and `$nin` hold wherever `$eq` and `$in` do not, also if the field is
 * missing. Throws `invalid` with the place of the mistake.
 */
export function readFilter(json: unknown): Filter {
  const bounds: Bounds = { nodes: 0, values: 0 };
  return readObject(json, { path: "filter", depth: 1, bounds });
}

interface Bounds {
  nodes: number;
  values: number;
}

interface Place {
  readonly path: string;
  readonly depth: number;
  readonly bounds: Bounds;
}

function readObject(json: unknown, { path, depth, bounds }: Place): Filter {
  if (depth > maxFilter.depth) throw invalid(`${path}: a filter may be ${maxFilter.depth} levels deep`);
  const filters = entriesOf(json, path).map(([name, value]) => {
    const at = { path: `${path}.${name}`, depth, bounds };
    if (name === "$and" || name === "$or") return readList(name, value, at);
    if (name === "$not") return count(at, { kind: "not", filter: readObject(value, { ...at, depth: depth + 1 }) });
    if (name.startsWith("$"))
      throw invalid(`${at.path} is not an operator; use $and, $or, $not or the name of a field`);
    return readField(name, value, at);
  });
  return all(filters);
}

function readList(name: "$and" | "$or", json: unknown, at: Place): Filter {
  if (!Array.isArray(json) || json.length === 0)
    throw invalid(`${at.path} must be a list of filters that is not empty`);
  const filters = json.map((one: unknown, index) =>
    readObject(one, { ...at, path: `${at.path}[${index}]`, depth: at.depth + 1 }),
  );
  return count(at, { kind: name === "$and" ? "and" : "or", filters });
}

function readField(field: string, json: unknown, at: Place): Filter {
  checkFieldName(field, "filter");
  if (isScalar(json)) return count(at, is(field, [json], at));
  const entries = entriesOf(json, at.path);
  if (entries.length === 0) throw invalid(`${at.path} has no operator; use ${operators.join(", ")}`);
  return all(entries.map(([name, value]) => readOperator(field, name, value, { ...at, path: `${at.path}.${name}` })));
}

const operators = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$contains", "$exists"] as const;
type Operator = (typeof operators)[number];

function readOperator(field: string, name: string, value: unknown, at: Place): Filter {
  const operator = operators.find((known) => known === name);
  if (operator === undefined) throw invalid(`${at.path} is not an operator; use ${operators.join(", ")}`);
  return count(at, conditionOf(field, operator, value, at));
}

function conditionOf(field: string, operator: Operator, value: unknown, at: Place): Filter {
  switch (operator) {
    case "$eq":
      return is(field, [value], at);
    case "$ne":
      return { kind: "not", filter: is(field, [value], at) };
    case "$in":
    case "$nin": {
      if (!Array.isArray(value) || value.length === 0) throw invalid(`${at.path} must be a list that is not empty`);
      const among = is(field, value, at);
      return operator === "$in" ? among : { kind: "not", filter: among };
    }
    case "$contains":
      return { kind: "contains", field, value: readScalar(value, at) };
    case "$exists":
      if (typeof value !== "boolean") throw invalid(`${at.path} must be true or false`);
      return value ? { kind: "exists", field } : { kind: "not", filter: { kind: "exists", field } };
    default: {
      const bound = readScalar(value, at);
      if (typeof bound === "boolean")
        throw invalid(`${at.path} must be a number or a text; true and false have no order`);
      return { kind: "compare", field, by: comparisons[operator], value: bound };
    }
  }
}

const comparisons = { $gt: "gt", $gte: "gte", $lt: "lt", $lte: "lte" } as const;

const is = (field: string, values: readonly unknown[], at: Place): Filter => ({
  kind: "is",
  field,
  values: values.map((value) => readScalar(value, at)),
});

function readScalar(value: unknown, { path, bounds }: Place): Scalar {
  if (!isScalar(value)) {
    const advice = value === null ? "; ask with $exists whether there is such a field" : "";
    throw invalid(`${path} must be a text, a number, true or false${advice}`);
  }
  bounds.values += 1;
  if (bounds.values > maxFilter.values) throw invalid(`a filter may have ${maxFilter.values} values`);
  return checkScalar(value, path);
}

function count(at: Place, filter: Filter): Filter {
  at.bounds.nodes += 1;
  if (at.bounds.nodes > maxFilter.nodes) throw invalid(`a filter may have ${maxFilter.nodes} conditions`);
  return filter;
}

function all(filters: readonly Filter[]): Filter {
  const [only] = filters;
  return only !== undefined && filters.length === 1 ? only : { kind: "and", filters };
}

function entriesOf(json: unknown, path: string): [string, unknown][] {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw invalid(`${path} must be an object, such as {"year": {"$gte": 2020}}`);
  }
  return Object.entries(json);
}
