import type { Table } from "@lancedb/lancedb";
import type { Schema } from "apache-arrow";
import type { DenseSpace, FirstPass, SpaceRef } from "../../domain/ports/vectors.ts";
import type { Lance } from "./lance.ts";

/** Declares the column by which merges find the row to replace, so that two writers cannot double it. */
const primaryKey = new Map([["lance-schema:unenforced-primary-key", "true"]]);

/** Are the vectors of the space's pages kept as codes (`codes.ts`)? */
export const isCoded = ({ firstPass, scoring = "best" }: DenseSpace): boolean =>
  firstPass === "first" && scoring === "best";

export function schemaOf({ arrow }: Lance, space: SpaceRef): Schema {
  const text = (name: string, metadata?: Map<string, string>) =>
    new arrow.Field(name, new arrow.Utf8(), false, metadata);
  const shared = [
    text("id", primaryKey),
    text("workspaceId"),
    text("datasetId"),
    new arrow.Field("page", new arrow.Int32(), false),
  ];
  if (space.kind === "lexical") return new arrow.Schema([...shared, text("terms")]);
  const element = new arrow.Field("item", new arrow.Float16(), true);
  if (isCoded(space)) {
    const first = new arrow.Field("first", new arrow.FixedSizeList(space.dimensions, element), false);
    return new arrow.Schema([...shared, first, new arrow.Field("codes", new arrow.Binary(), false)]);
  }
  const vector = new arrow.Field("item", new arrow.FixedSizeList(space.dimensions, element), true);
  const columns = space.firstPass === "pooled" ? ["pooled", "vectors"] : ["vectors"];
  return new arrow.Schema([...shared, ...columns.map((name) => new arrow.Field(name, new arrow.List(vector), false))]);
}

const keptAs = new WeakMap<Table, Promise<FirstPass>>();

/**
 * The space as its table keeps it. Tables that were made before there were codes stay as they are, with all vectors and the
 * first one pooled: their pages are found, and more are added to them.
 */
export async function asKept(table: Table, space: DenseSpace): Promise<DenseSpace> {
  if (!isCoded(space)) return space;
  const known = keptAs.get(table) ?? firstPassOf(table);
  keptAs.set(table, known);
  known.catch(() => keptAs.delete(table));
  return { ...space, firstPass: await known };
}

async function firstPassOf(table: Table): Promise<FirstPass> {
  const columns = new Set((await table.schema()).fields.map(({ name }) => name));
  if (columns.has("codes")) return "first";
  return columns.has("pooled") ? "pooled" : "all";
}
