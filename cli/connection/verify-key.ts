import { isDrsError } from "../failures.ts";

/** Asks the server for something small with the key. Rejects unless it is a drs server that knows the key. */
export async function verifyKey(
  { server, apiKey }: { readonly server: string; readonly apiKey: string },
  signal: AbortSignal,
): Promise<void> {
  const { createDrs } = await import("@drs/client");
  try {
    await createDrs({ server, apiKey }).jobs.page({ limit: 1 }, { signal });
  } catch (cause) {
    // Known, but not for reading: such keys exist.
    if (!isDrsError(cause) || cause.code !== "permission_denied") throw cause;
  }
}
