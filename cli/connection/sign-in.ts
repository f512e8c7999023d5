import { isDrsError } from "../failures.ts";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Output } from "../output/output.ts";
import { printable } from "../output/printable.ts";
import { openInBrowser } from "../terminal/browser.ts";
import type { CommandIo } from "../command-io.ts";

interface Access {
  readonly server: string;
  readonly apiKey: string;
}

/** Personal tokens are used in place of API keys; the prefix tells them apart. */
export function isPersonalToken(apiKey: string): boolean {
  return apiKey.startsWith("drsp_");
}

/** Joins an organisation, once. Resolves with the personal token, which the server shows only now. */
export async function join(
  {
    server,
    invitation,
    name,
  }: { readonly server: string; readonly invitation: string; readonly name: string | undefined },
  signal: AbortSignal,
): Promise<string> {
  const { createDrs } = await import("@drs/client");
  const { token } = await createDrs({ server }).acceptInvitation({ token: invitation, name }, { signal });
  return token;
}

/** Ends a personal token. Also resolves if the server already rejected it. */
export async function endPersonalToken(access: Access, signal: AbortSignal): Promise<void> {
  const { createDrs } = await import("@drs/client");
  try {
    await createDrs(access).signOut({ signal });
  } catch (cause) {
    if (!isDrsError(cause) || cause.code !== "unauthenticated") throw cause;
  }
}

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

/**
 * Signs this machine in with a browser (RFC 8628): shows a code, and resolves with the personal token when a person has
 * compared and approved it. Rejects if the sign-in is denied or expires.
 */
export async function signInByBrowser(server: string, output: Output, { env, signal }: CommandIo): Promise<string> {
  const { createDrs } = await import("@drs/client");
  const { devices } = createDrs({ server });
  const started = await devices.start(`drs on ${hostname()}`, { signal });
  const { deviceCode, userCode, verificationUri, verificationUriComplete, intervalSeconds } = started;
  const problem = await openInBrowser(verificationUriComplete, env);
  output.note(
    problem === undefined
      ? `approve in the browser, if it shows this code: ${printable(userCode)}`
      : `open ${printable(verificationUri)} in a browser and enter this code: ${printable(userCode)}`,
  );
  for (;;) {
    await sleep(intervalSeconds * 1000, undefined, { signal }).catch(() => signal.throwIfAborted());
    try {
      const session = await devices.poll(deviceCode, { signal });
      if (session !== null) return session.token;
    } catch (cause) {
      // Polled too often: try again after the same pause.
      if (!isDrsError(cause) || cause.code !== "resource_exhausted") throw cause;
    }
  }
}
