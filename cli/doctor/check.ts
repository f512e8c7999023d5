/** The outcome of one check. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  /** The finding. */
  readonly message: string;
  /** Advice on what to do; empty if there is nothing to do. */
  readonly next: string;
}

export function ok(name: string, message: string): Check {
  return { name, status: "ok", message, next: "" };
}

export function warn(name: string, message: string, next: string): Check {
  return { name, status: "warn", message, next };
}

export function fail(name: string, message: string, next: string): Check {
  return { name, status: "fail", message, next };
}

export function reasonIn(cause: unknown): string {
  return cause instanceof Error ? (cause.message.split("\n", 1)[0] ?? "") : String(cause);
}
