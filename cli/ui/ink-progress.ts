import { render } from "ink";
import { createElement } from "react";
import type { Sink } from "../command-io.ts";
import { type Frame, ProgressScreen } from "./progress-screen.ts";
import { createEndings, type ProgressRow, type ProgressView } from "./progress-row.ts";

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
