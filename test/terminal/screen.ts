/**
 * A program in a real pseudo-terminal, with a real terminal (tmux) that interprets what it writes:
 *
 *   await using screen = await open([...drs, "jobs", "list"], { columns: 120, rows: 40, env: { DRS_SERVER: url } });
 *   await screen.waitFor(/next:/);          // until it is to be seen; the screen's text; throws with the screen after 30 s
 *   screen.text();                          // what stands on the screen now; history() with what has scrolled away
 *   screen.styled();                        // the same with its colours as escape codes
 *   await screen.written();                 // every byte that the program has written
 *   screen.press("C-c"); screen.type("y");  // keys by tmux's names; text as it is
 *   screen.resize(60, 15);
 *   await screen.exitCode();                // waits for the end of the program
 *   await screen.close();                   // also by `await using`
 *
 * `drs` is the CLI as a user starts it. `hasTerminal` and `terminalReason` are for `describe.skipIf`.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { hasTool, toolReason } from "../service/tools.ts";

export const hasTerminal = hasTool("tmux");
export const terminalReason = toolReason("tmux");

/** The command line of the CLI, without its arguments. */
export const drs: readonly string[] = [
  process.execPath,
  fileURLToPath(new URL("../../cli/bin/drs.js", import.meta.url)),
];

export interface ScreenOptions {
  /** Default 120. */
  readonly columns?: number;
  /** Default 40. */
  readonly rows?: number;
  /**
   * Variables of the program beside PATH, HOME and a terminal's own. It sees a plain xterm of 256 colours, not tmux,
   * unless TERM or TMUX say otherwise; undefined takes a variable away.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Screen extends AsyncDisposable {
  /** The lines on the screen, without spaces at their ends. */
  text(): string;
  /** The lines on the screen with escape codes for their colours. */
  styled(): string;
  /** The lines on the screen and those that have scrolled away above it. */
  history(): string;
  /** Every byte that the program has written so far. */
  written(): Promise<string>;
  /** Whether the cursor can be seen, also after the end of the program. */
  showsCursor(): boolean;
  /** Keys by tmux's names: "C-c", "Enter", "Up". */
  press(...keys: readonly string[]): void;
  type(text: string): void;
  resize(columns: number, rows: number): void;
  /** Waits until the history matches; resolves with it. Throws, with the screen, where it never does or the program ends without it. */
  waitFor(pattern: RegExp, limits?: { readonly timeoutMs?: number }): Promise<string>;
  /** Waits for the end of the program; resolves with its status as a shell sees it. */
  exitCode(limits?: { readonly timeoutMs?: number }): Promise<number>;
  /** Ends the program, if it still runs, and the terminal. */
  close(): Promise<void>;
}

const patienceMs = 30_000;
/** The code of an operating system command (OSC) that no terminal knows. */
const endCode = 987_654;
const lookEveryMs = 25;

/** Starts a program on a screen of its own. */
export async function open(command: readonly string[], options: ScreenOptions = {}): Promise<Screen> {
  const { columns = 120, rows = 40, env = {} } = options;
  const folder = await mkdtemp(join(tmpdir(), "drs-screen-"));
  const socket = join(folder, "tmux");
  const record = join(folder, "written");
  await writeFile(record, "");
  const tmux = (...words: readonly string[]): string =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", "-u", ...words], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, TERM: "xterm-256color", LANG: "C.UTF-8", SHELL: "/bin/sh" },
    });
  const variables = { TERM: "xterm-256color", TMUX: undefined, TERM_PROGRAM: undefined, ...env };
  const environment = Object.entries(variables).flatMap(([name, value]) => (value === undefined ? ["-u", name] : []));
  const settings = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  const program = ["env", ...environment, ...settings, ...command].map(quoted).join(" ");
  const held = [
    // The program starts when its output is recorded: not one byte is missed.
    `tmux -S ${quoted(socket)} wait-for recorded`,
    // Ctrl-C is for the program.
    "trap : INT",
    program,
    // Comes after everything that it has written, and is not shown.
    String.raw`printf '\033]${endCode};%d\033\\' $?`,
    "trap '' INT",
    // Keeps the terminal as the program has left it.
    "exec sleep 86400",
  ].join("; ");
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), held);
  tmux("set-option", "-g", "status", "off");
  tmux("set-option", "-g", "history-limit", "5000");
  tmux("resize-window", "-x", String(columns), "-y", String(rows));
  tmux("pipe-pane", "-O", `cat >> ${quoted(record)}`);
  tmux("wait-for", "-S", "recorded");

  const trimmed = (text: string): string => text.replace(/[ \n]+$/, "");
  const history = (): string => trimmed(tmux("capture-pane", "-p", "-J", "-S", "-"));
  const recorded = (): { written: string; status: number | undefined } => {
    const [written = "", rest] = readFileSync(record, "utf8").split(`\u001b]${endCode};`);
    return { written, status: rest === undefined ? undefined : Number.parseInt(rest, 10) };
  };
  const until = async <Result>(look: () => Result | undefined, timeoutMs: number, what: string): Promise<Result> => {
    const end = Date.now() + timeoutMs;
    while (Date.now() < end) {
      const seen = look();
      if (seen !== undefined) return seen;
      await pause(lookEveryMs);
    }
    throw new Error(`${what} within ${timeoutMs} ms; the screen:\n${history()}`);
  };
  let open = true;
  const close = async (): Promise<void> => {
    if (open) tmux("kill-server");
    open = false;
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  return {
    text: () => trimmed(tmux("capture-pane", "-p")),
    styled: () => trimmed(tmux("capture-pane", "-p", "-e")),
    history,
    written: async () => recorded().written,
    showsCursor: () => tmux("display-message", "-p", "#{cursor_flag}").trim() === "1",
    press: (...keys) => void tmux("send-keys", ...keys),
    type: (text) => void tmux("send-keys", "-l", text),
    resize: (columns, rows) => void tmux("resize-window", "-x", String(columns), "-y", String(rows)),
    waitFor(pattern, { timeoutMs = patienceMs } = {}) {
      const look = (): string | undefined => {
        const over = recorded().status !== undefined;
        const text = history();
        if (pattern.test(text)) return text;
        if (over) throw new Error(`the program ended without ${pattern}; the screen:\n${text}`);
        return undefined;
      };
      return until(look, timeoutMs, `no ${pattern}`);
    },
    exitCode: ({ timeoutMs = patienceMs } = {}) => until(() => recorded().status, timeoutMs, "the program did not end"),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** As one word of a shell's command line. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
