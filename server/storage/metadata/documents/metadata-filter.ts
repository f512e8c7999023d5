import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from "kysely";
import type { Scalar } from "../../../domain/datasets/metadata.ts";
import type { Condition, Filter } from "../../../domain/filters/filter.ts";
import type { DatasetId, WorkspaceId } from "../../../domain/ids.ts";
import type { Schema } from "../schema.ts";
import { columnsOf } from "./dataset-rows.ts";

type Values = ExpressionBuilder<Schema, "metadataValues">;

/** The column with the id of the dataset that a condition is about. */
type DatasetColumn = "datasets.id" | "metadataValues.datasetId";

/**
 * How a condition is looked up: at once for all datasets that fulfil it, or dataset by dataset, which is faster for few
 * datasets.
 */
type LookUp = "together" | "each";

/**
 * Translates a filter into a condition on the rows of a workspace's datasets, equivalent to `matches` of the domain.
 * All values of the filter are parameters of the statement.
 */
export function passes(
  workspaceId: WorkspaceId,
  filter: Filter,
  { of = "datasets.id", lookUp = "together" }: { readonly of?: DatasetColumn; readonly lookUp?: LookUp } = {},
): Expression<SqlBool> {
  const eb = expressionBuilder<Schema>();
  const translate = (part: Filter): Expression<SqlBool> => {
    switch (part.kind) {
      case "and":
        return eb.and(part.filters.map(translate));
      case "or":
        return eb.or(part.filters.map(translate));
      case "not":
        return eb.not(translate(part.filter));
      default:
        return lookUp === "each"
          ? eb.exists(
              eb
                .selectFrom("metadataValues as own")
                .select(eb.lit(1).as("one"))
                .where("own.datasetId", "=", sql.ref<DatasetId>(of))
                .where("own.field", "=", part.field)
                .where(sql<boolean>`${ofValue(expressionBuilder<Schema, "metadataValues">(), part)}`),
            )
          : eb(
              sql.ref<DatasetId>(of),
              "in",
              eb.selectFrom("metadataValues").select("datasetId").where(fulfils(workspaceId, part)),
            );
    }
  };
  return translate(filter);
}

/** Translates a condition on datasets of a workspace into one on the rows of their values. */
function fulfils(workspaceId: WorkspaceId, condition: Condition): (values: Values) => Expression<SqlBool> {
  return (values) =>
    values.and([
      values("workspaceId", "=", workspaceId),
      values("field", "=", condition.field),
      ofValue(values, condition),
    ]);
}

/** Translates several conditions into one on the rows of values, which fulfil at least one of them. */
export function fulfilsOne(
  workspaceId: WorkspaceId,
  conditions: readonly Condition[],
): (values: Values) => Expression<SqlBool> {
  return (values) => values.or(conditions.map((condition) => fulfils(workspaceId, condition)(values)));
}

/** A set of conditions, at least one of which every passing dataset fulfils, and the rest of the filter. */
export interface Lead {
  readonly conditions: readonly Condition[];
  readonly rest: Filter;
}

/** Returns the leads of a filter: each is a way to find the passing datasets through the index of values. */
export function leadsOf(filter: Filter): readonly Lead[] {
  switch (filter.kind) {
    case "and":
      return filter.filters.flatMap((one, at) =>
        leadsOf(one).map(({ conditions, rest }) => ({
          conditions,
          rest: { kind: "and", filters: [rest, ...filter.filters.toSpliced(at, 1)] } as const,
        })),
      );
    case "or": {
      const first = filter.filters.flatMap((one) => leadsOf(one).slice(0, 1));
      const isComplete = first.length > 0 && first.length === filter.filters.length;
      if (!isComplete) return [];
      // Plain conditions leave nothing else to check.
      const rest = first.every((lead) => lead.rest === everything) ? everything : filter;
      return [{ conditions: first.flatMap(({ conditions }) => conditions), rest }];
    }
    case "not":
      return [];
    default:
      return [{ conditions: [filter], rest: everything }];
  }
}

/** The filter that every dataset passes. */
const everything: Filter = { kind: "and", filters: [] };

/** Returns the condition on a value, written so that the values that fulfil it are one range of the index. */
function ofValue(eb: Values, condition: Condition): Expression<SqlBool> {
  switch (condition.kind) {
    case "exists":
      return eb.lit(true);
    case "is":
      return eb.or(typesOf(eb, condition.values));
    case "compare": {
      const { value, by } = condition;
      const operator = ({ gt: ">", gte: ">=", lt: "<", lte: "<=" } as const)[by];
      return typeof value === "string"
        ? eb.and([eb("type", "=", "text"), eb("number", "=", 0), eb("text", operator, value)])
        : eb.and([eb("type", "=", "number"), eb("number", operator, value)]);
    }
    case "contains": {
      const inList = eb.and([eb("isList", "=", 1), ...typesOf(eb, [condition.value])]);
      if (typeof condition.value !== "string") return inList;
      const inText = sql<boolean>`replace("text", ${condition.value}, '') <> "text"`;
      // Every text contains the empty text.
      const hasText = condition.value === "" ? eb.lit(true) : inText;
      return eb.or([inList, eb.and([eb("isList", "=", 0), eb("type", "=", "text"), hasText])]);
    }
  }
}

/** Returns one condition per type of value; a value that fulfils any of them is one of `values`. */
function typesOf(eb: Values, values: readonly Scalar[]): Expression<SqlBool>[] {
  const texts = values.filter((value) => typeof value === "string");
  const others = values.filter((value) => typeof value !== "string").map(columnsOf);
  return [
    ...(texts.length === 0 ? [] : [eb.and([eb("type", "=", "text"), eb("number", "=", 0), eb("text", "in", texts)])]),
    ...(["number", "truth"] as const).flatMap((type) => {
      const numbers = others.filter((columns) => columns.type === type).map(({ number }) => number);
      return numbers.length === 0 ? [] : [eb.and([eb("type", "=", type), eb("number", "in", numbers)])];
    }),
  ];
}
