import { openScratch } from "../convert/scratch.ts";

/**
 * Gives this process, which must belong to drs, a temporary folder that only its user can read. Files that native code leaves
 * there (LanceDB sorts words of documents in it) are removed on close, or by the next start after a kill.
 */
export async function openOwnTemporaryFolder(): Promise<{ close(): Promise<void> }> {
  const scratch = await openScratch();
  process.env["TMPDIR"] = scratch.path;
  return { close: () => scratch.close() };
}
