import { Box, render, Static, Text, useWindowSize } from "ink";
import { createElement, type ReactElement, type ReactNode } from "react";
import { padEnd, padStart, printable, shorten, stringWidth } from "../output/printable.ts";
import { createEndings, marks, type ProgressRow, type ProgressView } from "./progress-row.ts";
import type { Sink } from "../command-io.ts";

/** The content of the screen at one moment. */
export interface Frame {
  /** Changes with `ended`, so that printed rows are not printed again. */
  readonly batch: number;
  /** Rows that have ended since the last batch. */
  readonly ended: readonly ProgressRow[];
  readonly rows: readonly ProgressRow[];
  /** Pieces of the totals, most important first. */
  readonly totals: readonly string[];
  readonly coloured: boolean;
}

const colours: Readonly<Record<ProgressRow["state"], string>> = {
  waiting: "gray",
  active: "cyan",
  done: "green",
  partly: "yellow",
  skipped: "gray",
  failed: "red",
};

/** Maximum number of rows; the others are counted. */
const maxRows = 12;
/** Lines that stay free on a small screen: an ended row, the count of the other rows, the totals, the cursor. */
const reservedLines = 6;

/** Shows the frame in the terminal, and adapts when its size changes. */
function ProgressScreen({ frame }: { frame: Frame }): ReactElement {
  const { columns, rows } = useWindowSize();
  return createElement(ProgressFrame, { frame, columns, lines: rows });
}

interface Sized {
  readonly frame: Frame;
  readonly columns: number;
  readonly lines: number;
}

/** Shows ended rows, the active ones below, and the totals at the bottom. */
export function ProgressFrame({ frame, columns, lines }: Sized): ReactElement {
  const { batch, ended, rows, totals, coloured } = frame;
  const shape = shapeOf(columns);
  const active = rows.filter(({ state }) => state === "active");
  const shown = active.slice(0, Math.max(1, Math.min(maxRows, lines - reservedLines)));
  const hidden = rows.length - shown.length;
  const line = (row: ProgressRow): ReactElement => createElement(ProgressLine, { key: row.id, row, shape, coloured });
  const sum = fitting(totals, columns);
  return createElement(
    Box,
    { flexDirection: "column" },
    createElement(Static<ProgressRow>, { key: `batch ${batch}`, items: [...ended], children: line }),
    ...shown.map(line),
    hidden === 0 ? undefined : createElement(Text, { ...paint("gray", coloured) }, `  ${hidden} more`),
    sum === "" ? undefined : createElement(Text, { wrap: "truncate-end", bold: coloured }, sum),
  );
}

/** Columns of each part of a line. */
interface Shape {
  readonly label: number;
  /** 0 if there is no space for a bar; the percentage says the same. */
  readonly bar: number;
  /** Columns for the activity, the amount, and the time left. */
  readonly note: number;
}

/** Columns of the mark, the percentage and the spaces between. */
const fixedColumns = 8;
/** Columns for "reading pages 1158 of 1158 pages", and for a rate and a remaining time if there is space. */
const noteColumns = { narrow: 34, wide: 48 } as const;
/** Columns of an ended row beside its name: mark, spaces, a dataset's id and its pages. */
const endingColumns = 45;

function shapeOf(columns: number): Shape {
  const bar = columns < 72 ? 0 : columns < 100 ? 12 : 20;
  const note = columns < 100 ? noteColumns.narrow : noteColumns.wide;
  const room = columns - Math.max(fixedColumns + bar + 1 + note, endingColumns);
  const label = Math.max(10, Math.min(48, room));
  // Mark and spaces, the bar with its space, the percentage with its space.
  return { label, bar, note: columns - label - 3 - (bar === 0 ? 0 : bar + 1) - 5 };
}

function ProgressLine({ row, shape, coloured }: { row: ProgressRow; shape: Shape; coloured: boolean }): ReactElement {
  const { state, label, note, fraction, lines } = row;
  const active = state === "active";
  const own = paint(colours[state], coloured);
  if (lines !== undefined)
    return createElement(Text, null, createElement(Text, own, `${marks[state]} `), lines.join("\n"));
  return createElement(
    Text,
    { wrap: "truncate-end" },
    createElement(Text, own, `${marks[state]} `),
    padEnd(shorten(printable(label), shape.label), shape.label),
    " ",
    ...(active
      ? [
          ...(shape.bar === 0 ? [] : [createElement(Text, { key: "bar", ...own }, bar(fraction, shape.bar)), " "]),
          `${padStart(percent(fraction), 4)} `,
        ]
      : []),
    ...(active ? noteParts(row, shape.note, coloured) : [printable(note)]),
  );
}

/**
 * Returns the note, the amount and the time left as far as there is space; the amount is dropped first, because the
 * percentage says as much.
 */
function noteParts({ note, amount, left }: ProgressRow, room: number, coloured: boolean): readonly ReactNode[] {
  const [said, rest] = [printable(note), [amount, left].filter((text) => text !== undefined).join(", ")];
  const fits = (...parts: readonly string[]): boolean => stringWidth(parts.filter(Boolean).join(" ")) <= room;
  const grey = (text: string): ReactNode => createElement(Text, { key: "rest", ...paint("gray", coloured) }, text);
  if (fits(said, rest)) return rest === "" ? [said] : [said, grey(` ${rest}`)];
  if (left === undefined) return [said];
  return fits(said, left) ? [said, grey(` ${left}`)] : [grey(left)];
}

function paint(color: string, coloured: boolean): { color?: string } {
  return coloured ? { color } : {};
}

function bar(fraction: number | undefined, columns: number): string {
  const filled = Math.round(Math.min(1, fraction ?? 0) * columns);
  return "█".repeat(filled) + "░".repeat(columns - filled);
}

function percent(fraction: number | undefined): string {
  return fraction === undefined ? "" : `${Math.floor(fraction * 100)}%`;
}

/** Joins as many of the pieces as fit into the columns, separated by dots. */
function fitting(pieces: readonly string[], columns: number): string {
  let text = "";
  for (const piece of pieces) {
    const longer = text === "" ? piece : `${text} · ${piece}`;
    if (text !== "" && stringWidth(longer) >= columns) break;
    text = longer;
  }
  return text;
}

/** Interval of redraws, milliseconds: often enough to look alive, seldom enough to cost nothing. */
const frameMs = 80;

/** Shows lines that are redrawn in place; ended rows scroll up above them and are forgotten. */
export function showInkProgress(sink: Sink, { coloured }: { coloured: boolean }): ProgressView {
  let frame: Frame = { batch: 0, ended: [], rows: [], totals: [], coloured };
  const app = render(createElement(ProgressScreen, { frame }), {
    stdout: sink,
    patchConsole: false,
    exitOnCtrlC: false,
    interactive: true,
  });
  const endings = createEndings();
  let fresh: ProgressRow[] = [];
  let timer: NodeJS.Timeout | undefined;
  const draw = (): void => {
    timer = undefined;
    if (fresh.length > 0) frame = { ...frame, batch: frame.batch + 1, ended: fresh };
    fresh = [];
    app.rerender(createElement(ProgressScreen, { frame }));
  };
  return {
    update(rows, totals = []) {
      fresh.push(...endings(rows));
      frame = { ...frame, rows: rows.filter(({ state }) => state === "active" || state === "waiting"), totals };
      timer ??= setTimeout(draw, frameMs);
    },
    async close() {
      clearTimeout(timer);
      // The caller prints the final sums.
      frame = { ...frame, rows: [], totals: [] };
      draw();
      await app.waitUntilRenderFlush();
      app.unmount();
      await app.waitUntilExit();
    },
  };
}
