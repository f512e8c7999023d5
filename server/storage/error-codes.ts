/** Whether a system call failed with this error code (`ENOENT` …). */
export function hasErrorCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && "code" in cause && cause.code === code;
}

/** Resolves to undefined if the file or folder does not exist, or if a parent in its path is a file. */
export async function ifThere<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (cause) {
    if (hasErrorCode(cause, "ENOENT") || hasErrorCode(cause, "ENOTDIR")) return undefined;
    throw cause;
  }
}

/**
 * Whether SQLite failed because another connection has the lock: SQLITE_BUSY (5) and its extended codes
 * (https://www.sqlite.org/rescode.html#busy).
 */
export function isBusy(cause: unknown): boolean {
  return (
    cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" && (cause.errcode & 0xff) === 5
  );
}
