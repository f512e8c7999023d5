import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Starts a guard in its process group, and then becomes the program. The guard reads a pipe whose other end only the server
 * holds, and kills the whole group when that end closes. The system closes it whenever and however the server ends.
 */
const script = 'exec 3<&0; (cat <&3; kill -9 0) >/dev/null 2>&1 & exec 3<&-; exec "$@" </dev/null';

/** Maximum characters of a program's output, enough to see why it failed. */
const maxOutput = 8_192;

export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

export interface GuardedProgram {
  readonly pid: number;
  /** Resolves when the program has ended and the rest of its group has been killed. */
  readonly ended: Promise<ProgramEnd>;
  /** Kills the program and everything that it started. */
  kill(): void;
}

/** Starts a program in a process group of its own that does not outlive this process. Throws if it cannot be started. */
export async function startGuarded(
  program: string,
  args: readonly string[],
  { env, cwd }: { env: Readonly<Record<string, string>>; cwd: string },
): Promise<GuardedProgram> {
  const child = spawn("/bin/sh", ["-c", script, "sh", program, ...args], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env,
    cwd,
  });
  await once(child, "spawn");
  const { pid } = child;
  if (pid === undefined) throw new Error("a started process has no id");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-maxOutput);
    });
  }
  child.stdin.on("error", () => undefined);
  const kill = (): void => {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // The group has ended already.
    }
  };
  const ended = once(child, "close").then(([code, signal]): ProgramEnd => ({ code, signal, output }));
  // The guard is still running; until it ends, the system does not reuse the group's id.
  child.once("exit", kill);
  return { pid, ended, kill };
}
