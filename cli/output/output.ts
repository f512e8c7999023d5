import { type Style, styleOf } from "../terminal/style.ts";
import type { CommandIo, Sink } from "../command-io.ts";
import { type Column, tableLines } from "./table.ts";
import { formatBytes } from "./amounts.ts";

/** The output of a command: data on stdout, everything else on stderr. */
export interface Output {
  readonly json: boolean;
  /** The style of text on stdout. */
  readonly style: Style;
  /** Writes one JSON document, or the lines for a person. */
  result(value: unknown, lines: () => readonly string[]): void;
  /** Writes one line of a JSON stream; nothing for a person. */
  event(value: unknown): void;
  /** Writes a line for a person; nothing in JSON mode. */
  line(text: string): void;
  /** Writes text that ends with its own line break, such as a picture; nothing in JSON mode. */
  raw(text: string): void;
  /** Writes a note to stderr. */
  note(text: string): void;
}

export function createOutput(io: CommandIo, json: boolean): Output {
  const { stdout, stderr } = io;
  return {
    json,
    style: styleOf(io),
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

/** Prints a page of a list as a table, and how to get the next page. */
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

/** Interval of progress lines, milliseconds: often enough to look alive, seldom enough for a log. */
const everyMs = 2_000;

/** Returns a function that reports progress on stderr; it does nothing in JSON mode. */
export function tellProgress<Progress>(
  output: Output,
  textOf: (progress: Progress) => string,
): (progress: Progress) => void {
  let toldAt = performance.now();
  return (progress) => {
    if (output.json || performance.now() - toldAt < everyMs) return;
    toldAt = performance.now();
    output.note(textOf(progress));
  };
}

export const copyText = (amounts: {
  readonly files: number;
  readonly bytes: number;
  readonly copiedFiles: number;
  readonly copiedBytes: number;
}): string =>
  `${amounts.files} files, ${formatBytes(amounts.bytes)}; copied ${amounts.copiedFiles} files, ${formatBytes(amounts.copiedBytes)}`;
