import { readFileSync } from "node:fs";
import { Interrupted, type CommandIo } from "../command-io.ts";
import { isMultiplexed } from "./style.ts";

/** The capabilities that a terminal reports. */
export interface TerminalAnswer {
  /** Whether it draws pictures with kitty's protocol. */
  readonly kitty: boolean;
  /** Whether it draws sixels. */
  readonly sixel: boolean;
  /** Name and version, such as `iTerm2 3.5.0`; empty if it does not report it. */
  readonly name: string;
  /** Pixels of a cell; undefined if it does not report it. */
  readonly cell: CellSize | undefined;
}

/** Size in pixels. */
export interface CellSize {
  readonly width: number;
  readonly height: number;
}

/** Time limit, milliseconds: terminals answer at once, but some over a slow line. */
const defaultTimeoutMs = 1_000;
/** Terminals that draw nothing, and print questions as text or do not answer them. */
const muteTerm = /^(dumb|linux|eterm|vt\d|cons25|sun|network|unknown)|^$/;
/** Maximum length of an answer, characters. */
const maxAnswerLength = 4_096;

/**
 * Asks about a pixel of the colour 0,0,0: only terminals that support the protocol answer.
 * https://sw.kovidgoyal.net/kitty/graphics-protocol
 */
const askKitty = "\u001b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u001b\\";
/**
 * Asks for XTVERSION, the size of a cell in pixels (XTWINOPS 16), and DA1, which every terminal answers, so that its
 * answer ends the wait.
 */
const askAll = "\u001b[>q\u001b[16t\u001b[c";

/**
 * Asks the terminal what it can draw; resolves with undefined if there is none, it must not be asked, or it does not
 * answer. Keys are read in raw mode meanwhile, so that answers are not shown, and the previous mode is always restored.
 * Throws `Interrupted` if the user presses Ctrl-C.
 */
export async function askTerminal(
  { stdin, stdout, env, signal }: Pick<CommandIo, "stdin" | "stdout" | "env" | "signal">,
  timeoutMs = defaultTimeoutMs,
): Promise<TerminalAnswer | undefined> {
  if (stdin?.isTTY !== true || stdout.isTTY !== true || stdin.setRawMode === undefined) return undefined;
  if (muteTerm.test(env["TERM"] ?? "") || env["TERM_PROGRAM"] === "Apple_Terminal" || !isForeground()) return undefined;
  const wasRaw = stdin.isRaw === true;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const answered = Promise.withResolvers<TerminalAnswer | undefined>();
  let text = "";
  const take = (piece: Buffer | string): void => {
    text += piece.toString("latin1");
    if (text.includes("\u0003")) answered.reject(new Interrupted("SIGINT"));
    const answer = answerIn(text);
    if (answer !== undefined || text.length > maxAnswerLength) answered.resolve(answer);
  };
  const giveUp = (): void => answered.resolve(undefined);
  limit.addEventListener("abort", giveUp);
  try {
    signal.throwIfAborted();
    stdin.setRawMode(true);
    stdin.on("data", take);
    // tmux would take kitty's question for a title.
    stdout.write(isMultiplexed(env) ? askAll : askKitty + askAll);
    const answer = await answered.promise;
    signal.throwIfAborted();
    return answer;
  } finally {
    limit.removeEventListener("abort", giveUp);
    stdin.off("data", take);
    stdin.pause();
    stdin.setRawMode(wasRaw);
  }
}

/** Parses the answers once the last question is answered; undefined until then. Exported for its test. */
export function answerIn(text: string): TerminalAnswer | undefined {
  const replies = text.split("\u001b");
  const partOf = (pattern: RegExp): readonly string[] =>
    replies.map((reply) => pattern.exec(reply)).find((match) => match !== null) ?? [];
  const [, attributes] = partOf(/^\[\?([\d;]+)c/);
  if (attributes === undefined) return undefined;
  const [, height = 0, width = 0] = partOf(/^\[6;(\d{1,4});(\d{1,4})t/).map(Number);
  return {
    kitty: replies.includes("_Gi=31;OK"),
    // The first number is the terminal type.
    sixel: attributes.split(";").slice(1).includes("4"),
    name: partOf(/^P>\|(.*)$/)[1] ?? "",
    cell: width >= 3 && height >= 3 ? { width, height } : undefined,
  };
}

/**
 * Returns whether this process is in the foreground: in the background it would be stopped for changing how keys are
 * read. Only Linux reports that; elsewhere the foreground is assumed.
 */
function isForeground(): boolean {
  try {
    // The name, in parentheses, can contain spaces. The fields after it are state, parent, group, session, terminal and
    // foreground group.
    const fields = readFileSync("/proc/self/stat", "latin1").split(") ").at(-1)?.split(" ") ?? [];
    const [group, foreground] = [Number(fields[2]), Number(fields[5])];
    // -1 means that the process has no controlling terminal, so no signal stops it.
    return foreground === group || foreground <= 0;
  } catch {
    return true;
  }
}
