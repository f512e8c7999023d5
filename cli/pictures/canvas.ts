import { WriteStream } from "node:tty";
import { createSupportsTerminalGraphics } from "supports-terminal-graphics";
import { usageError } from "../failures.ts";
import { askTerminal, type CellSize, type TerminalAnswer } from "../terminal/ask.ts";
import { isMultiplexed } from "../terminal/style.ts";
import type { CommandIo } from "../command-io.ts";
import type { ColourDepth } from "./blocks.ts";
import type { CellArea } from "./fit.ts";

const pictureFormats = ["kitty", "iterm", "sixel", "blocks"] as const;
export type PictureFormat = (typeof pictureFormats)[number];

/** The picture formats that a user can request, whatever the terminal reports, or none. */
export const pictureChoices = ["auto", ...pictureFormats, "none"] as const;
export type PictureChoice = (typeof pictureChoices)[number];

/** A terminal to draw on. */
export interface Canvas {
  readonly format: PictureFormat;
  readonly cell: CellSize;
  /** Colour depth of half blocks. */
  readonly depth: ColourDepth;
  /** The whole screen. */
  readonly screen: CellArea;
}

/** The reason why nothing can be drawn. */
interface NoCanvas {
  readonly format: undefined;
  readonly reason: string;
}

/**
 * A small cell by today's standards: on larger cells pictures are a little smaller, never larger than the space
 * reserved for them.
 */
const usualCell: CellSize = { width: 8, height: 16 };
/** Screen size of terminals that do not report one. */
const usualScreen: CellArea = { columns: 80, rows: 24 };

/**
 * Opens the terminal behind stdout as a canvas. `auto` draws nothing into files and pipes, on a dumb terminal, or if
 * NO_COLOR is set; a format that is requested by name is drawn wherever stdout goes. Throws a usage error for a format
 * that cannot get through tmux.
 */
export async function openCanvas(choice: PictureChoice, io: CommandIo): Promise<Canvas | NoCanvas> {
  const { stdout, env } = io;
  if (choice === "none") return none("pictures are turned off");
  if (choice === "auto") {
    if (stdout.isTTY !== true) return none("the output goes into a file or another program");
    if (env["TERM"] === "dumb") return none("the terminal is a dumb terminal (TERM)");
    if ((env["NO_COLOR"] ?? "") !== "") return none("NO_COLOR is set");
  }
  if ((choice === "kitty" || choice === "iterm") && isMultiplexed(env))
    throw usageError(
      `tmux and screen do not pass on pictures of ${choice}`,
      "use --images auto, or run drs outside of them",
    );
  const answer = choice === "blocks" ? undefined : await askTerminal(io);
  const screen = { columns: stdout.columns ?? usualScreen.columns, rows: stdout.rows ?? usualScreen.rows };
  const bits = colourBits(env);
  const depth = bits >= 24 ? 24 : 8;
  const format = choice === "auto" ? (bestFormat(answer, env) ?? (bits >= 8 ? "blocks" : undefined)) : choice;
  if (format === undefined) return none("the terminal shows fewer than 256 colours");
  return { format, cell: answer?.cell ?? usualCell, depth, screen };
}

function none(reason: string): NoCanvas {
  return { format: undefined, reason };
}

/** Returns the best format for real pictures, or undefined if there is none. Exported for its test. */
export function bestFormat(
  answer: TerminalAnswer | undefined,
  env: CommandIo["env"],
): Exclude<PictureFormat, "blocks"> | undefined {
  // tmux answers itself; pictures in the formats of kitty and iTerm2 would be lost in it.
  if (isMultiplexed(env)) return answer?.sixel === true ? "sixel" : undefined;
  if (answer === undefined) {
    // If the terminal does not answer, decide by the variables that it sets.
    const { kitty, iterm2, sixel } = createSupportsTerminalGraphics({ isTTY: true });
    return isIterm(env) || (iterm2 && !kitty) ? "iterm" : kitty ? "kitty" : sixel ? "sixel" : undefined;
  }
  // iTerm2 claims to support kitty's protocol, but draws its own better.
  if (isIterm(env) || answer.name.startsWith("iTerm2")) return "iterm";
  return answer.kitty ? "kitty" : answer.sixel ? "sixel" : undefined;
}

function isIterm(env: CommandIo["env"]): boolean {
  return env["TERM_PROGRAM"] === "iTerm.app" || env["LC_TERMINAL"] === "iTerm2";
}

/** Returns the colour depth of the terminal, ignoring NO_COLOR, which is checked before. */
function colourBits(env: CommandIo["env"]): number {
  return WriteStream.prototype.getColorDepth({ ...env, NO_COLOR: undefined });
}
