import { type RawBuilder, sql } from "kysely";

const mark = "/* keep plan */";

/**
 * At the end of a statement (`modifyEnd`): a connection to PostgreSQL plans it a few times and then keeps the plan. It is for
 * statements that run many times a second and have one good plan, whatever their parameters are: planning them takes longer
 * than they do. They name their columns: a plan whose `*` has come to mean more columns is refused.
 */
export const keepPlan: RawBuilder<unknown> = sql.raw(mark);

export const keepsPlan = (statement: string): boolean => statement.endsWith(mark);
