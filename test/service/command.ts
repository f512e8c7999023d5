import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { compileCache } from "./compile-cache.ts";
import { knownVariables } from "./shared-stores.ts";

/** A command line in a process of its own. */
export interface CommandProcess {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** The output and the exit code; the code is null after a kill. */
  readonly outcome: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  /** The output so far. */
  stdout(): string;
  stderr(): string;
}

const drs = fileURLToPath(new URL("../../cli/bin/drs.js", import.meta.url));

/** `drs …` as a user would run it, with nothing in its environment but the path and what is given. */
export function startCommand(words: readonly string[], env: Readonly<Record<string, string>>): CommandProcess {
  const child: ChildProcess = spawn(process.execPath, [drs, ...words], {
    env: { PATH: process.env["PATH"], ...compileCache, ...knownVariables(env["DRS_DATA_DIR"]), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { pid, stdout, stderr } = child;
  if (pid === undefined || stdout === null || stderr === null) throw new Error("the command did not start");
  let answered = "";
  stdout.on("data", (piece: Buffer) => (answered += piece.toString()));
  let said = "";
  stderr.on("data", (piece: Buffer) => (said += piece.toString()));
  const outcome = async (): Promise<{ code: number | null; stdout: string; stderr: string }> => {
    await once(child, "close");
    return { code: child.exitCode, stdout: answered, stderr: said };
  };
  return {
    pid,
    kill: (signal) => void child.kill(signal),
    outcome: outcome(),
    stdout: () => answered,
    stderr: () => said,
  };
}
