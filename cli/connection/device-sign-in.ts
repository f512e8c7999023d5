import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isDrsError } from "../failures.ts";
import type { Output } from "../output/output.ts";
import { printable } from "../output/printable.ts";
import { openInBrowser } from "../terminal/browser.ts";
import type { CommandIo } from "../command-io.ts";

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
