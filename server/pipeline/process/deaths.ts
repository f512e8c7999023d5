import { constants } from "node:os";

/** How a process that opens documents has ended. */
export interface Death {
  /**
   * `fault`: by its own fault, such as a crash or for want of memory; `killed`: by a signal from outside, which says
   * nothing about what it was doing; `exit`: of itself and in order.
   */
  readonly kind: "fault" | "killed" | "exit";
  /** For logs and reasons: "SIGSEGV", "exit code 1". */
  readonly what: string;
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Whether the system has ended processes for want of memory while this one was at work. */
  readonly oomKilled: boolean;
}

/** Signals that the processor or the C library raises in a process; they are hardly ever sent from outside. */
const faults: ReadonlySet<string> = new Set(["SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"]);

/** By number; SIGABRT and SIGIOT share one, and the first is the name that Node gives. */
const signalNames: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.signals)
    .map(([name, number]) => [number, name] as const)
    .toReversed(),
);

/** Tells the cause of a process's end by what the system reports of it. */
export function deathOf({ code, signal, oomKilled }: Exit): Death {
  // Shells and some runtimes pass a signal on as an exit code: 134 is SIGABRT.
  const name = signal ?? (code === null ? undefined : signalNames.get(code - 128));
  if (name === undefined)
    return code === 0 ? { kind: "exit", what: "exit code 0" } : { kind: "fault", what: `exit code ${code}` };
  if (faults.has(name)) return { kind: "fault", what: name };
  if (name === "SIGKILL" && oomKilled) return { kind: "fault", what: "the system ran out of memory" };
  return { kind: "killed", what: name };
}
