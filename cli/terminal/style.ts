import { styleText } from "node:util";
import { createSupportsHyperlinks } from "supports-hyperlinks";
import type { CommandIo } from "../command-io.ts";

export type Colour = "red" | "green" | "yellow" | "cyan" | "gray";

/** Styles text for an output. All functions return the text unchanged if the output takes plain text only. */
export interface Style {
  /** Columns of the terminal; undefined for a file or a program, where text is never shortened. */
  readonly columns: number | undefined;
  readonly hyperlinks: boolean;
  bold(text: string): string;
  colour(colour: Colour, text: string): string;
  /** Returns text that opens an address (OSC 8). */
  link(text: string, url: string): string;
}

export const plainStyle: Style = {
  columns: undefined,
  hyperlinks: false,
  bold: (text) => text,
  colour: (_, text) => text,
  link: (text) => text,
};

/** Returns the style of the terminal behind stdout, if there is one. NO_COLOR disables colours, bold text and links. */
export function styleOf({ stdout, env }: Pick<CommandIo, "stdout" | "env">): Style {
  if (stdout.isTTY !== true) return plainStyle;
  const bare: Style = { ...plainStyle, columns: stdout.columns ?? defaultColumns };
  if (env["TERM"] === "dumb" || (env["NO_COLOR"] ?? "") !== "") return bare;
  const paint = (format: Colour | "bold", text: string): string => styleText(format, text, { validateStream: false });
  const coloured: Style = { ...bare, bold: (text) => paint("bold", text), colour: paint };
  return linksWork(env) ? { ...coloured, hyperlinks: true, link: hyperlink } : coloured;
}

/** Columns of terminals that do not report them. */
const defaultColumns = 80;

/**
 * Returns whether links work. Only newer versions of tmux forward them, depending on its configuration, while it passes
 * on the variables that name the outer terminal.
 */
function linksWork(env: CommandIo["env"]): boolean {
  if (isMultiplexed(env) && (env["FORCE_HYPERLINK"] ?? "") === "") return false;
  return createSupportsHyperlinks({ isTTY: true });
}

/** Returns whether this is inside tmux or screen, where the environment describes the outer terminal. */
export function isMultiplexed({ TMUX = "", STY = "", TERM = "" }: CommandIo["env"]): boolean {
  return TMUX !== "" || STY !== "" || /^(tmux|screen)/.test(TERM);
}

/** https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda */
function hyperlink(text: string, url: string): string {
  if (!URL.canParse(url)) return text;
  // Serialized addresses contain no control characters, which could end the sequence.
  return `\u001b]8;;${new URL(url).href}\u001b\\${text}\u001b]8;;\u001b\\`;
}
