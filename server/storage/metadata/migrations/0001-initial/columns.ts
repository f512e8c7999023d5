import type { ColumnDefinitionBuilder } from "kysely";

type Column = ColumnDefinitionBuilder;

/** Primary keys. SQLite allows null in a `primary` column, but no row has it. */
export const primary = (column: Column): Column => column.primaryKey();
export const key = (column: Column): Column => column.primaryKey().notNull();
export const required = (column: Column): Column => column.notNull();
export const unique = (column: Column): Column => column.notNull().unique();
/** For counts and flags that begin at 0. */
export const zero = (column: Column): Column => column.notNull().defaultTo(0);
export const text =
  (value: string) =>
  (column: Column): Column =>
    column.notNull().defaultTo(value);
