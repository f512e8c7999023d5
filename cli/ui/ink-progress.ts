import { Box, render, Static, Text } from "ink";
import { createElement, type ReactElement } from "react";
import { padEnd, padStart, printable, shorten } from "../output/printable.ts";
import type { Sink } from "../world.ts";
import { marks, type ProgressRow, type ProgressView } from "./progress-row.ts";

/** Columns for the names; the rest of an 80-column line holds the bar, the amount and the note. */
const labelColumns = 28;
const barColumns = 16;
/** More lines than that would push each other off small terminals; the others are counted. */
const shownAtOnce = 8;

const colours: Readonly<Record<ProgressRow["state"], string>> = {
  waiting: "gray",
  active: "cyan",
  done: "green",
  partly: "yellow",
  failed: "red",
};

/** Lines that are redrawn in place; finished ones stay above them. */
export function showInkProgress(sink: Sink): ProgressView {
  const app = render(progressLines([]), {
    stdout: sink,
    patchConsole: false,
    exitOnCtrlC: false,
    interactive: true,
    maxFps: 15,
  });
  return {
    update: (rows) => app.rerender(progressLines(rows)),
    async close() {
      await app.waitUntilRenderFlush();
      app.unmount();
      await app.waitUntilExit();
    },
  };
}

/** What stands on the screen: finished rows, the active ones, and how many more wait. */
export function progressLines(rows: readonly ProgressRow[]): ReactElement {
  // In the order in which they finished, as far as it is known: Static never redraws what it has printed.
  const finished = rows.filter(({ state }) => state !== "waiting" && state !== "active");
  const active = rows.filter(({ state }) => state === "active");
  const hidden = Math.max(0, active.length - shownAtOnce) + rows.filter(({ state }) => state === "waiting").length;
  return createElement(
    Box,
    { flexDirection: "column" },
    createElement(Static<ProgressRow>, {
      items: finished,
      children: (row) => createElement(ProgressLine, { key: row.id, row }),
    }),
    ...active.slice(0, shownAtOnce).map((row) => createElement(ProgressLine, { key: row.id, row })),
    hidden === 0 ? undefined : createElement(Text, { color: "gray" }, `  ${hidden} more`),
  );
}

function ProgressLine({ row }: { row: ProgressRow }): ReactElement {
  const { state, label, note, fraction, amount } = row;
  const active = state === "active";
  return createElement(
    Text,
    { wrap: "truncate-end" },
    createElement(Text, { color: colours[state] }, `${marks[state]} `),
    padEnd(shorten(printable(label), labelColumns), labelColumns),
    " ",
    ...(active
      ? [
          createElement(Text, { key: "bar", color: colours[state] }, bar(fraction)),
          ` ${padStart(percent(fraction), 4)} `,
        ]
      : []),
    printable(note),
    ...(active && amount !== undefined ? [createElement(Text, { key: "amount", color: "gray" }, ` ${amount}`)] : []),
  );
}

function bar(fraction: number | undefined): string {
  const filled = Math.round((fraction ?? 0) * barColumns);
  return "█".repeat(filled) + "░".repeat(barColumns - filled);
}

function percent(fraction: number | undefined): string {
  return fraction === undefined ? "" : `${Math.floor(fraction * 100)}%`;
}
