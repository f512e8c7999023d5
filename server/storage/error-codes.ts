/** Whether a failed system call failed for this reason (`ENOENT` …). */
export function hasErrorCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && "code" in cause && cause.code === code;
}

/** Whether SQLite failed because another connection has the lock: SQLITE_BUSY (5) and its extended codes, https://www.sqlite.org/rescode.html#busy */
export function isBusy(cause: unknown): boolean {
  return (
    cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" && (cause.errcode & 0xff) === 5
  );
}
