import { readFileSync } from "node:fs";
import { Interrupted, type World } from "../world.ts";
import { isMultiplexed } from "./style.ts";

/** What a terminal says of itself. */
export interface TerminalAnswer {
  /** It draws pictures of kitty's protocol. */
  readonly kitty: boolean;
  /** It draws sixels. */
  readonly sixel: boolean;
  /** `iTerm2 3.5.0`; empty: it does not say. */
  readonly name: string;
  /** Pixels of a cell; undefined: it does not say. */
  readonly cell: CellSize | undefined;
}

/** Pixels. */
export interface CellSize {
  readonly width: number;
  readonly height: number;
}

/** Terminals answer at once, some of them over a slow line. Milliseconds. */
const defaultTimeoutMs = 1_000;
/** Known to draw nothing, and to show questions as text or to leave them without an answer. */
const muteTerm = /^(dumb|linux|eterm|vt\d|cons25|sun|network|unknown)|^$/;
/** An answer longer than this is none. Characters. */
const maxAnswerLength = 4_096;

/** Whether there is a pixel of the colour 0,0,0: only who knows the protocol answers. https://sw.kovidgoyal.net/kitty/graphics-protocol */
const askKitty = "\u001b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u001b\\";
/** XTVERSION, the size of a cell in pixels (XTWINOPS 16), and DA1, which every terminal answers, so that it ends the wait. */
const askAll = "\u001b[>q\u001b[16t\u001b[c";

/**
 * Asks the terminal what it can draw; undefined where there is none, where it must not be asked or says nothing. Keys
 * are read raw meanwhile, so that answers are not shown, and as before afterwards, however it ends. Throws
 * `Interrupted` when the answer is Ctrl-C.
 */
export async function askTerminal(
  { stdin, stdout, env, signal }: Pick<World, "stdin" | "stdout" | "env" | "signal">,
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
    // tmux would take the question for a title.
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

/** What has come so far, once the last question is answered. Exported for its test. */
export function answerIn(text: string): TerminalAnswer | undefined {
  const replies = text.split("\u001b");
  const partOf = (pattern: RegExp): readonly string[] =>
    replies.map((reply) => pattern.exec(reply)).find((match) => match !== null) ?? [];
  const [, attributes] = partOf(/^\[\?([\d;]+)c/);
  if (attributes === undefined) return undefined;
  const [, height = 0, width = 0] = partOf(/^\[6;(\d{1,4});(\d{1,4})t/).map(Number);
  return {
    kitty: replies.includes("_Gi=31;OK"),
    // The first number is the kind of terminal.
    sixel: attributes.split(";").slice(1).includes("4"),
    name: partOf(/^P>\|(.*)$/)[1] ?? "",
    cell: width >= 3 && height >= 3 ? { width, height } : undefined,
  };
}

/** A program in the background would be stopped for changing how keys are read. Linux tells; elsewhere it is assumed. */
function isForeground(): boolean {
  try {
    // The name, in parentheses, can hold spaces. After it: state, parent, group, session, terminal, its foreground group.
    const fields = readFileSync("/proc/self/stat", "latin1").split(") ").at(-1)?.split(" ") ?? [];
    const [group, foreground] = [Number(fields[2]), Number(fields[5])];
    // -1: the process has no controlling terminal, and no signal stops it.
    return foreground === group || foreground <= 0;
  } catch {
    return true;
  }
}
