import type { Command } from "commander";
import type { ListQuery, Page, PageQuery } from "@drs/client";
import { type Output, printPage } from "../output/output.ts";
import { type Column, createTable } from "../output/table.ts";
import { type PagingFlags, withPaging } from "./command.ts";

export interface ListFlags extends PagingFlags {
  readonly all?: true;
}

/** A list that can be fetched page by page or entry by entry. */
export interface Listed<Row> {
  page(query: PageQuery): Promise<Page<Row>>;
  entries(query: ListQuery): AsyncIterable<Row>;
}

/** Adds the flags of a list that can be too long for one response. */
export function withList(command: Command): Command {
  withPaging(command);
  const all = command.createOption("--all", "everything after the offset; as JSON one entry per line");
  return command.addOption(all.conflicts("limit"));
}

/** Number of entries that `--all` fetches at once and holds in memory. */
const batchSize = 100;

/** Prints the requested part of a list, as a table or as JSON. */
export async function printList<Row>(
  output: Output,
  { offset, limit, all }: ListFlags,
  listed: Listed<Row>,
  columns: readonly Column<Row>[],
  empty: string,
): Promise<void> {
  if (all !== true) {
    printPage(output, await listed.page({ offset, limit }), columns, empty);
    return;
  }
  const table = createTable(columns, output.style);
  let batch: Row[] = [];
  let seen = 0;
  const print = (): void => {
    for (const line of output.json ? [] : table.lines(batch)) output.line(line);
    batch = [];
  };
  for await (const row of listed.entries({ offset })) {
    seen += 1;
    output.event(row);
    if (output.json) continue;
    batch.push(row);
    if (batch.length === batchSize) print();
  }
  print();
  if (seen === 0 && !output.json) output.note(offset > 0 ? `nothing after ${offset}` : empty);
}
