/** Exit codes that scripts can rely on. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** Some of the files, or some of their pages, failed. */
  partly: 3,
  /** No API key, an unknown one, or one that lacks the permission. */
  auth: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
