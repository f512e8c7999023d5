import { createSupportsTerminalGraphics } from "supports-terminal-graphics";
import { printable } from "../output/printable.ts";
import type { World } from "../world.ts";

/** Columns of a picture: a page can be told from another, and a screen holds a few. */
const pictureColumns = 48;
/** Cells are about twice as high as wide, and pages a half higher than wide. */
const pictureRows = 34;

/** Whether the terminal shows real pictures: kitty's protocol or iTerm2's. */
export function showsPictures({ stdout }: World): boolean {
  if (stdout.isTTY !== true) return false;
  const support = createSupportsTerminalGraphics({ isTTY: true });
  return support.kitty || support.iterm2;
}

/**
 * The picture as text for a terminal; half blocks where it knows nothing better. A picture that cannot be had becomes a
 * remark: the ranking does not end for it. The drawing library is loaded only here.
 */
export async function drawPicture(load: () => Promise<Uint8Array>, signal: AbortSignal): Promise<string> {
  try {
    const [picture, { default: terminalImage }] = await Promise.all([load(), import("terminal-image")]);
    return await terminalImage.buffer(picture, { width: pictureColumns, height: pictureRows });
  } catch (cause) {
    signal.throwIfAborted();
    return `          (no picture: ${printable(cause instanceof Error ? cause.message : String(cause))})`;
  }
}
