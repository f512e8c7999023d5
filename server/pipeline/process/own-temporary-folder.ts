import { openScratch } from "../convert/scratch.ts";

/**
 * Gives this process, which must be drs's own, a temporary folder that only its user can read. What native code leaves
 * there (LanceDB sorts words of documents in it) is removed when it is closed; after a kill the next start removes it.
 */
export async function openOwnTemporaryFolder(): Promise<{ close(): Promise<void> }> {
  const scratch = await openScratch();
  process.env["TMPDIR"] = scratch.path;
  return { close: () => scratch.close() };
}
