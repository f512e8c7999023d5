import { type Command, Option } from "commander";
import { usageError } from "../../failures.ts";
import { printable } from "../../output/printable.ts";
import { openFileInBrowser, openInBrowser } from "../../terminal/browser.ts";
import { isMultiplexed } from "../../terminal/style.ts";
import type { CommandIo, Sink } from "../../command-io.ts";
import { wholeNumber } from "../flag-values.ts";
import { formatTime } from "../../output/amounts.ts";
import { type AgreementFlags, agrees, withAgreement } from "../agreement.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "../command.ts";

export interface LinkFlags {
  readonly open?: true;
  readonly copy?: true;
}

/** Longest lifetime of a link, seconds: a week. */
const maxLinkSeconds = 604_800;

/** Adds the flags that open and copy the link of a page. */
export function withLinkActions(command: Command, page: string): Command {
  return command
    .option("--open", `open the link of ${page} in the browser`)
    .option("--copy", `copy the link of ${page}, also over ssh, if the terminal allows it (OSC 52)`);
}

export const expiresInOption = (): Option =>
  new Option("--expires-in <seconds>", "lifetime of the links, 1 to 604800 (default: 600)").argParser(
    wholeNumber(1, maxLinkSeconds),
  );

/** Throws a usage error for an action that cannot work here, before the server is asked for anything. */
export function checkLinkActions({ copy }: LinkFlags, io: CommandIo): void {
  if (copy === true && clipboardOf(io) === undefined)
    throw usageError("there is no terminal that could copy the link", "leave out --copy, or take the link from --json");
}

/** Where a page can be found: by its link, or in the file where it has been saved. */
export type Way = { readonly url: string } | { readonly path: string };

/**
 * Opens and copies the link or path as the flags say, and reports it. If it cannot be opened, it is printed instead.
 */
export async function actOnLink(
  way: Way,
  { open, copy }: LinkFlags,
  io: CommandIo,
  note: (text: string) => void,
): Promise<void> {
  const terminal = clipboardOf(io);
  const [noun, text] = "url" in way ? ["link", way.url] : ["path", way.path];
  if (copy === true && terminal !== undefined) {
    copyText(terminal, text);
    const hint = isMultiplexed(io.env) ? "; tmux passes it on after: tmux set -g set-clipboard on" : "";
    note(`copied the ${noun} to the clipboard${hint}`);
  }
  if (open !== true) return;
  const problem = await ("url" in way ? openInBrowser(way.url, io.env) : openFileInBrowser(way.path, io.env));
  note(
    problem === undefined
      ? "opened the page in the browser"
      : `not opened: ${printable(problem)}; the ${noun} is ${printable(text)}`,
  );
}

/** Returns the terminal that can copy text to the clipboard: stdout or stderr. */
function clipboardOf({ stdout, stderr, env }: Pick<CommandIo, "stdout" | "stderr" | "env">): Sink | undefined {
  if (env["TERM"] === "dumb") return undefined;
  return [stdout, stderr].find(({ isTTY }) => isTTY === true);
}

/**
 * Copies a text to the clipboard of the user's terminal, also over ssh (OSC 52). No terminal reports whether it worked.
 */
function copyText(terminal: Sink, text: string): void {
  terminal.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u001b\\`);
}

export function defineLinks(command: Command, context: Context): void {
  withExamples(
    withAgreement(
      withClient(
        command
          .command("rotate")
          .description("sign links with a new key from now on, and optionally revoke the old links"),
      ),
    ),
    [
      ["drs links rotate", "earlier links stay valid until they expire, seven days at most"],
      ["drs links rotate --revoke", "all earlier links, of every organisation, stop working at once"],
    ],
  )
    .option("--revoke", "revoke all links created so far")
    .addHelpText(
      "after",
      "\nOnly for the operator of the service. The key also changes by itself every 30 days. drs datasets delete\nrevokes the links of one document.",
    )
    .action(async ({ revoke = false, ...flags }: ClientFlags & AgreementFlags & { revoke?: boolean }) => {
      const { drs, output, io } = await openSession(flags, context);
      const question = "revoke all links created so far, of every organisation?";
      if (revoke && !(await agrees(question, flags, context))) return;
      const rotation = await drs.links.rotate({ revoke }, { signal: io.signal });
      output.result({ ...rotation, revoked: revoke }, () => [
        revoke
          ? "all links created so far are revoked; a new key signs the next ones"
          : `a new key signs links; earlier ones expire by ${formatTime(rotation.olderEndBy)}`,
      ]);
    });
}
