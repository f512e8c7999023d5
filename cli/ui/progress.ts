import { canRedraw, type CommandIo } from "../command-io.ts";
import { type PlainSettings, showPlainProgress } from "./plain-progress.ts";
import type { ProgressView } from "./progress-row.ts";

/** Shows progress on stderr: redrawn lines on a terminal, plain lines elsewhere. Ink is loaded only if it draws. */
export async function openProgress(io: CommandIo, json: boolean, settings: PlainSettings = {}): Promise<ProgressView> {
  if (json || !canRedraw(io.stderr, io.env)) return showPlainProgress(io.stderr, settings);
  const { showInkProgress } = await import("./ink-progress.ts");
  return showInkProgress(io.stderr, { coloured: (io.env["NO_COLOR"] ?? "") === "" });
}
