import { isDrsError } from "../failures.ts";

/** Checks a key with a small request. Rejects unless the address is a drs server that knows the key. */
export async function verifyKey(
  { server, apiKey }: { readonly server: string; readonly apiKey: string },
  signal: AbortSignal,
): Promise<void> {
  const { createDrs } = await import("@drs/client");
  try {
    await createDrs({ server, apiKey }).jobs.page({ limit: 1 }, { signal });
  } catch (cause) {
    // The key is known but has no read scope.
    if (!isDrsError(cause) || cause.code !== "permission_denied") throw cause;
  }
}
