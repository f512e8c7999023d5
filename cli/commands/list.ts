import type { Command } from "commander";
import type { ListQuery, Page, PageQuery } from "@drs/client";
import { type Output, printPage } from "../output/output.ts";
import { type Column, createTable } from "../output/table.ts";
import { type PagingFlags, withPaging } from "./command.ts";

export interface ListFlags extends PagingFlags {
  readonly all?: true;
}

/** What a list can be asked for: one page of it, or its entries one after another. */
export interface Listed<Row> {
  page(query: PageQuery): Promise<Page<Row>>;
  entries(query: ListQuery): AsyncIterable<Row>;
}

/** The flags of a list that can be too long for one answer. */
export function withList(command: Command): Command {
  withPaging(command);
  const all = command.createOption("--all", "everything after the offset; as JSON one entry per line");
  return command.addOption(all.conflicts("limit"));
}

/** Entries fetched at once by `--all`; also what stands in memory of it. */
const batchSize = 100;

/** Prints the part of a list that is asked for, as a table or in JSON. */
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
