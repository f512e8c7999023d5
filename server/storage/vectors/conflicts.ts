import { setTimeout as sleep } from "node:timers/promises";

/** Another process wrote in between: the same write, done again, goes through. */
const conflictText = /commit conflict|concurrent (?:writers?|commit|transaction)|too many concurrent/i;

/** A reader held a version whose files were cleaned away meanwhile: the next read takes the newest version. */
const vanishedText = /not found|no such file/i;

const maxAttempts = 8;
const firstDelayMs = 20;

/** Repeats a write that lost a race for the table's next version, with growing pauses of random length. */
export async function retryConflicts<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (cause) {
      if (attempt === maxAttempts || !matches(cause, conflictText)) throw cause;
      await sleep(firstDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random()));
    }
  }
}

/** Repeats a read once that failed because maintenance removed an old version under it. */
export async function retryVanished<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    if (!matches(cause, vanishedText)) throw cause;
    return read();
  }
}

/** What LanceDB and the libraries beneath it say when what they read is not what was written. */
const damageText = /lance|arrow|datafusion|was not found|panic/i;
/** What has another reason, and would not be better after a table has been mended. */
const otherText =
  /no space left|disk quota|too many open files|permission denied|read-only|memory limit|cannot allocate/i;

/** Whether a failed read or write of a table could be due to damaged files. */
export const mayBeDamage = (cause: unknown): boolean =>
  matches(cause, damageText) && !matches(cause, otherText) && !matches(cause, conflictText);

function matches(cause: unknown, text: RegExp): boolean {
  return cause instanceof Error && text.test(cause.message);
}
