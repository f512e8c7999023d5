import { open, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { hasErrorCode } from "./error-codes.ts";

/** Makes the names in a folder survive a power cut, as fsync of a file does for its bytes. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes the folder and those above it, up to but not including `base`, as long as they are empty. */
export async function pruneFolders(base: string, folder: string): Promise<void> {
  for (let at = folder; at !== base && at.startsWith(base); at = dirname(at)) {
    try {
      await rmdir(at);
    } catch (cause) {
      // ENOTEMPTY, which some systems call EEXIST: the rest is in use. ENOENT: another remove was faster.
      if (hasErrorCode(cause, "ENOENT")) continue;
      if (hasErrorCode(cause, "ENOTEMPTY") || hasErrorCode(cause, "EEXIST")) return;
      throw cause;
    }
  }
}
