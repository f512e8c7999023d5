import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Schema } from "../schema.ts";

/** Whether something of the page has failed: reading, embedding or rendering it. */
export function hasFailed({ eb, or }: ExpressionBuilder<Schema, "pages">): Expression<SqlBool> {
  return or([eb("failure", "is not", null), eb("embedFailure", "is not", null), eb("renderFailure", "is not", null)]);
}
