import { constants } from "node:os";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** The end of a process that opens documents. */
export interface Death {
  /**
   * `fault`: the process ended by its own fault, such as a crash or a lack of memory; `killed`: by a signal from outside, which
   * says nothing about its work; `exit`: by a normal exit.
   */
  readonly kind: "fault" | "killed" | "exit";
  /** For logs and reasons: "SIGSEGV", "exit code 1". */
  readonly what: string;
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Whether the system has killed processes for lack of memory while this one was working. */
  readonly oomKilled: boolean;
}

/** Signals that the processor or the C library raises in a process; they are rarely sent from outside. */
const faults: ReadonlySet<string> = new Set(["SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"]);

/** Signal names by number. SIGABRT and SIGIOT share a number, and Node uses the first name. */
const signalNames: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.signals)
    .map(([name, number]) => [number, name] as const)
    .toReversed(),
);

/** Derives the cause of a process's end from the system's report. */
export function deathOf({ code, signal, oomKilled }: Exit): Death {
  // Shells and some runtimes pass a signal on as an exit code: 134 is SIGABRT.
  const name = signal ?? (code === null ? undefined : signalNames.get(code - 128));
  if (name === undefined)
    return code === 0 ? { kind: "exit", what: "exit code 0" } : { kind: "fault", what: `exit code ${code}` };
  if (faults.has(name)) return { kind: "fault", what: name };
  if (name === "SIGKILL" && oomKilled) return { kind: "fault", what: "the system ran out of memory" };
  return { kind: "killed", what: name };
}

/**
 * Resolves when the process has ended and all its messages have been read. `isOutOfMemory` returns whether the system has
 * recently killed processes because it was out of memory.
 */
export async function awaitDeath(child: ChildProcess, isOutOfMemory: () => boolean): Promise<Death> {
  // The event means that a message or signal could not be delivered; the end of the process shows why.
  child.on("error", () => undefined);
  try {
    const [code, signal]: (number | string | null)[] = await once(child, "close");
    return deathOf({
      code: typeof code === "number" ? code : null,
      signal: typeof signal === "string" ? signal : null,
      oomKilled: isOutOfMemory(),
    });
  } catch (cause) {
    return { kind: "fault", what: `it cannot be started: ${String(cause)}` };
  }
}

/** Whether a process is halted by SIGSTOP or a debugger; false if the system does not report it. */
export function isHalted(pid: number): boolean {
  try {
    return /^State:\s+[Tt]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
