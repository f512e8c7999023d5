import { styleText } from "node:util";
import { createSupportsHyperlinks } from "supports-hyperlinks";
import type { World } from "../world.ts";

export type Colour = "red" | "green" | "yellow" | "cyan" | "gray";

/** How text may look where it goes. Everything returns the text as it is where nothing beyond text is understood. */
export interface Style {
  /** Of the terminal; undefined: the text goes into a file or a program, and is never cut. */
  readonly columns: number | undefined;
  readonly hyperlinks: boolean;
  bold(text: string): string;
  colour(colour: Colour, text: string): string;
  /** Text that opens an address (OSC 8). */
  link(text: string, url: string): string;
}

export const plainStyle: Style = {
  columns: undefined,
  hyperlinks: false,
  bold: (text) => text,
  colour: (_, text) => text,
  link: (text) => text,
};

/** What the terminal behind stdout can show, if there is one. NO_COLOR leaves text alone: no colours, no weights, no links. */
export function styleOf({ stdout, env }: Pick<World, "stdout" | "env">): Style {
  if (stdout.isTTY !== true) return plainStyle;
  const bare: Style = { ...plainStyle, columns: stdout.columns ?? defaultColumns };
  if (env["TERM"] === "dumb" || (env["NO_COLOR"] ?? "") !== "") return bare;
  const paint = (format: Colour | "bold", text: string): string => styleText(format, text, { validateStream: false });
  const coloured: Style = { ...bare, bold: (text) => paint("bold", text), colour: paint };
  return linksWork(env) ? { ...coloured, hyperlinks: true, link: hyperlink } : coloured;
}

/** What terminals have when they do not say. */
const defaultColumns = 80;

/** tmux hands links on only in newer versions and as it is set up, while it passes on the variables that name the terminal around it. */
function linksWork(env: World["env"]): boolean {
  if (isMultiplexed(env) && (env["FORCE_HYPERLINK"] ?? "") === "") return false;
  return createSupportsHyperlinks({ isTTY: true });
}

/** Inside tmux or screen: what the environment says of the terminal is about the one around them. */
export function isMultiplexed({ TMUX = "", STY = "", TERM = "" }: World["env"]): boolean {
  return TMUX !== "" || STY !== "" || /^(tmux|screen)/.test(TERM);
}

/** https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda */
function hyperlink(text: string, url: string): string {
  if (!URL.canParse(url)) return text;
  // Serialized addresses hold no control characters, which could end the sequence.
  return `\u001b]8;;${new URL(url).href}\u001b\\${text}\u001b]8;;\u001b\\`;
}
