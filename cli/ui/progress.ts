import { canRedraw, type World } from "../world.ts";
import { type PlainSettings, showPlainProgress } from "./plain-progress.ts";
import type { ProgressView } from "./progress-row.ts";

/** Shows progress on stderr: redrawn lines on a terminal, plain lines elsewhere. Ink is loaded only if it draws. */
export async function openProgress(world: World, json: boolean, settings: PlainSettings = {}): Promise<ProgressView> {
  if (json || !canRedraw(world.stderr, world.env)) return showPlainProgress(world.stderr, settings);
  const { showInkProgress } = await import("./ink-progress.ts");
  return showInkProgress(world.stderr, { coloured: (world.env["NO_COLOR"] ?? "") === "" });
}
