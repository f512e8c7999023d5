import { Box, render, Text, useInput, useStdin, useWindowSize } from "ink";
import { createElement, type ReactElement } from "react";
import { type Style, styleOf } from "../terminal/style.ts";
import type { CommandIo } from "../command-io.ts";
import { snapshotLines } from "./lines.ts";
import type { View } from "./watch.ts";

interface TopScreen {
  show(view: View): void;
  close(): Promise<void>;
}

/** Opens a full screen, which is restored at the end. `onQuit`: called when the user presses q or Ctrl-C. */
export function openScreen(io: CommandIo, server: string, onQuit: () => void): TopScreen {
  const { stdout, stdin } = io;
  const style = styleOf(io);
  const screen = (view: View): ReactElement => createElement(Screen, { view, server, style, onQuit });
  let last: View = { snapshot: undefined, rates: [], trouble: undefined };
  const app = render(screen(last), {
    stdout,
    ...(stdin && { stdin }),
    patchConsole: false,
    exitOnCtrlC: false,
    interactive: true,
    alternateScreen: true,
  });
  return {
    show(view) {
      last = view;
      app.rerender(screen(last));
    },
    async close() {
      await app.waitUntilRenderFlush();
      app.unmount();
      await app.waitUntilExit();
    },
  };
}

interface ScreenProps {
  readonly view: View;
  readonly server: string;
  readonly style: Style;
  readonly onQuit: () => void;
}

function Screen({ view, server, style, onQuit }: ScreenProps): ReactElement {
  const { columns, rows } = useWindowSize();
  const { isRawModeSupported } = useStdin();
  useInput(
    (input, key) => {
      if (input === "q" || (key.ctrl && input === "c")) onQuit();
    },
    { isActive: isRawModeSupported },
  );
  return createElement(ScreenLines, { view, server, style: { ...style, columns }, rows });
}

/** Shows the lines that fit; the last one says how to quit. */
export function ScreenLines({
  view: { snapshot, rates, trouble },
  server,
  style,
  rows,
}: Omit<ScreenProps, "onQuit"> & { readonly rows: number }): ReactElement {
  const body =
    snapshot === undefined ? ["asking the server"] : snapshotLines(snapshot, { style, rates, maxJobs: rows });
  const time = snapshot === undefined ? "" : new Date(snapshot.at).toLocaleTimeString("en-GB");
  const lines = [
    `${style.bold(`drs ${server}`)}  ${time}`,
    ...(trouble === undefined ? [] : [style.colour("red", `no answer: ${trouble}`)]),
    ...body,
  ];
  // One line is for the footer; a full screen would scroll.
  const shown = lines.slice(0, Math.max(1, rows - 2));
  return createElement(
    Box,
    { flexDirection: "column" },
    ...shown.map((line, index) => createElement(Text, { key: index, wrap: "truncate-end" }, line === "" ? " " : line)),
    createElement(Text, { wrap: "truncate-end" }, style.colour("gray", "q quits")),
  );
}
