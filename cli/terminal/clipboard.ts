import type { Sink, World } from "../world.ts";

/** The terminal that can be told to copy something: the one of the data or that of the remarks. */
export function clipboardOf({ stdout, stderr, env }: Pick<World, "stdout" | "stderr" | "env">): Sink | undefined {
  if (env["TERM"] === "dumb") return undefined;
  return [stdout, stderr].find(({ isTTY }) => isTTY === true);
}

/** Puts a text into the clipboard of the person at the terminal, also over ssh (OSC 52). No terminal says whether it did. */
export function copyText(terminal: Sink, text: string): void {
  terminal.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u001b\\`);
}
