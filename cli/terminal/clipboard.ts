import type { Sink, CommandIo } from "../command-io.ts";

/** Returns the terminal that can copy text to the clipboard: stdout or stderr. */
export function clipboardOf({ stdout, stderr, env }: Pick<CommandIo, "stdout" | "stderr" | "env">): Sink | undefined {
  if (env["TERM"] === "dumb") return undefined;
  return [stdout, stderr].find(({ isTTY }) => isTTY === true);
}

/**
 * Copies a text to the clipboard of the user's terminal, also over ssh (OSC 52). No terminal reports whether it worked.
 */
export function copyText(terminal: Sink, text: string): void {
  terminal.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u001b\\`);
}
