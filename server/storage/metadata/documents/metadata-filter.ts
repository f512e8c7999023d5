import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { Scalar } from "../../../domain/datasets/metadata.ts";
import type { Condition, Filter } from "../../../domain/filters/filter.ts";
import type { WorkspaceId } from "../../../domain/ids.ts";
import type { Schema } from "../schema.ts";
import { columnsOf } from "./metadata-rows.ts";

type Conditional = ExpressionBuilder<Schema, "datasets">;
type Values = ExpressionBuilder<Schema, "metadataValues">;

/**
 * The datasets of a workspace that pass a filter, as a condition on their rows: what `matches` of the domain says of their
 * metadata. Everything of the filter is a parameter of the statement.
 */
export function passes(workspaceId: WorkspaceId, filter: Filter): (builder: Conditional) => Expression<SqlBool> {
  const translate = (eb: Conditional, part: Filter): Expression<SqlBool> => {
    switch (part.kind) {
      case "and":
        return eb.and(part.filters.map((one) => translate(eb, one)));
      case "or":
        return eb.or(part.filters.map((one) => translate(eb, one)));
      case "not":
        return eb.not(translate(eb, part.filter));
      default:
        return eb(
          "datasets.id",
          "in",
          eb
            .selectFrom("metadataValues")
            .select("datasetId")
            .where("workspaceId", "=", workspaceId)
            .where("field", "=", part.field)
            .where((values) => ofValue(values, part)),
        );
    }
  };
  return (eb) => translate(eb, filter);
}

/** Whether all that passes is among datasets that have some value: then the index of values leads to them. */
export function leads(filter: Filter): boolean {
  switch (filter.kind) {
    case "and":
      return filter.filters.some(leads);
    case "or":
      return filter.filters.length > 0 && filter.filters.every(leads);
    default:
      return filter.kind !== "not";
  }
}

/** Written so that the index of values has what fulfils it in one piece. */
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
      // Everything has the empty text in it.
      const hasText = condition.value === "" ? eb.lit(true) : inText;
      return eb.or([inList, eb.and([eb("isList", "=", 0), eb("type", "=", "text"), hasText])]);
    }
  }
}

/** The value is one of these, type by type. */
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
