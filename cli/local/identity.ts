import type { FolderAddress } from "@drs/server/storage/folder-owner";

/** A server on this machine answers at once; one that is stopped (Ctrl-Z) never does. Milliseconds. */
const answerMs = 3_000;

/**
 * Whether the server that has the data folder is what answers at its address. Another program may have the port: in
 * this machine's eyes when the server runs in a container, or since a server was killed. It is told nothing but the path.
 */
export async function answersAs({ url, instance }: FolderAddress, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(new URL("/healthz", url), {
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
    });
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null && "instance" in body && body.instance === instance;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
