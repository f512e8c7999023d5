import { type Style, styleOf } from "../terminal/style.ts";
import type { Sink, World } from "../world.ts";
import { type Column, tableLines } from "./table.ts";

/** How a command answers: data on stdout, everything else on stderr. */
export interface Output {
  readonly json: boolean;
  /** How text on stdout may look. */
  readonly style: Style;
  /** A document of JSON, or the lines of a person's answer. */
  result(value: unknown, lines: () => readonly string[]): void;
  /** One line of a stream of JSON; nothing for a person. */
  event(value: unknown): void;
  /** A line of a person's answer; nothing in JSON. */
  line(text: string): void;
  /** Text that ends with its own line break, such as a picture; nothing in JSON. */
  raw(text: string): void;
  /** A remark beside the answer. */
  note(text: string): void;
}

export function createOutput(world: World, json: boolean): Output {
  const { stdout, stderr } = world;
  return {
    json,
    style: styleOf(world),
    result(value, lines) {
      if (json) writeLine(stdout, JSON.stringify(value));
      else for (const line of lines()) writeLine(stdout, line);
    },
    event(value) {
      if (json) writeLine(stdout, JSON.stringify(value));
    },
    line(text) {
      if (!json) writeLine(stdout, text);
    },
    raw(text) {
      if (!json) stdout.write(text);
    },
    note(text) {
      writeLine(stderr, text);
    },
  };
}

/** A page of a list as a table, with how to get the next one. */
export function printPage<Row>(
  output: Output,
  page: { readonly total: number; readonly offset: number; readonly limit: number; readonly data: readonly Row[] },
  columns: readonly Column<Row>[],
  empty: string,
): void {
  output.result(page, () => tableLines(page.data, columns, output.style));
  if (output.json) return;
  const end = page.offset + page.data.length;
  if (page.data.length === 0) output.note(page.offset > 0 ? `nothing after ${page.offset} of ${page.total}` : empty);
  else if (end < page.total)
    output.note(`${page.offset + 1} to ${end} of ${page.total}; next: --offset ${end}, everything: --all`);
}

function writeLine(sink: Sink, text: string): void {
  sink.write(`${text}\n`);
}
