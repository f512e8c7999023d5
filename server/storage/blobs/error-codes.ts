/** Whether a failed system call failed for this reason (`ENOENT` …). */
export function hasErrorCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && "code" in cause && cause.code === code;
}
