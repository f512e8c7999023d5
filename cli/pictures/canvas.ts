import { WriteStream } from "node:tty";
import { createSupportsTerminalGraphics } from "supports-terminal-graphics";
import { usageError } from "../failures.ts";
import { askTerminal, type CellSize, type TerminalAnswer } from "../terminal/ask.ts";
import { isMultiplexed } from "../terminal/style.ts";
import type { World } from "../world.ts";
import type { ColourDepth } from "./blocks.ts";
import type { CellArea } from "./fit.ts";

const pictureFormats = ["kitty", "iterm", "sixel", "blocks"] as const;
export type PictureFormat = (typeof pictureFormats)[number];

/** What a person can ask for: a format whatever the terminal says, or none. */
export const pictureChoices = ["auto", ...pictureFormats, "none"] as const;
export type PictureChoice = (typeof pictureChoices)[number];

/** A terminal to draw on. */
export interface Canvas {
  readonly format: PictureFormat;
  readonly cell: CellSize;
  /** Of half blocks. */
  readonly depth: ColourDepth;
  /** The whole screen. */
  readonly screen: CellArea;
}

/** Why nothing can be drawn. */
export interface NoCanvas {
  readonly format: undefined;
  readonly reason: string;
}

/** A small cell of today's: on larger ones pictures are a little smaller, never larger than the room kept for them. */
const usualCell: CellSize = { width: 8, height: 16 };
/** What terminals have when they do not say. */
const usualScreen: CellArea = { columns: 80, rows: 24 };

/**
 * The terminal behind stdout as a canvas. `auto` draws nothing into files and pipes, on a dumb terminal or where
 * NO_COLOR is set; a format asked for by name is drawn wherever stdout leads. Throws a usage error for a format that
 * cannot get through tmux.
 */
export async function openCanvas(choice: PictureChoice, world: World): Promise<Canvas | NoCanvas> {
  const { stdout, env } = world;
  if (choice === "none") return none("pictures are turned off");
  if (choice === "auto") {
    if (stdout.isTTY !== true) return none("the output goes into a file or another program");
    if (env["TERM"] === "dumb") return none("the terminal is a dumb one (TERM)");
    if ((env["NO_COLOR"] ?? "") !== "") return none("NO_COLOR is set");
  }
  if ((choice === "kitty" || choice === "iterm") && isMultiplexed(env))
    throw usageError(
      `tmux and screen do not pass on pictures of ${choice}`,
      "use --images auto, or run drs outside of them",
    );
  const answer = choice === "blocks" ? undefined : await askTerminal(world);
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

/** The way to show real pictures; undefined: there is none. Exported for its test. */
export function bestFormat(
  answer: TerminalAnswer | undefined,
  env: World["env"],
): Exclude<PictureFormat, "blocks"> | undefined {
  // tmux answers for itself; kitty's and iTerm2's pictures would be lost in it.
  if (isMultiplexed(env)) return answer?.sixel === true ? "sixel" : undefined;
  if (answer === undefined) {
    // Without a word from the terminal, the variables that it sets have to do.
    const { kitty, iterm2, sixel } = createSupportsTerminalGraphics({ isTTY: true });
    return isIterm(env) || (iterm2 && !kitty) ? "iterm" : kitty ? "kitty" : sixel ? "sixel" : undefined;
  }
  // iTerm2 says yes to kitty's protocol, but draws its own better.
  if (isIterm(env) || answer.name.startsWith("iTerm2")) return "iterm";
  return answer.kitty ? "kitty" : answer.sixel ? "sixel" : undefined;
}

function isIterm(env: World["env"]): boolean {
  return env["TERM_PROGRAM"] === "iTerm.app" || env["LC_TERMINAL"] === "iTerm2";
}

/** Bits of a colour that the terminal shows. Whether it shall is decided before: NO_COLOR does not count here. */
function colourBits(env: World["env"]): number {
  return WriteStream.prototype.getColorDepth({ ...env, NO_COLOR: undefined });
}
