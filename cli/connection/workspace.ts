import type { Drs } from "@drs/client";

/**
 * Returns a function that resolves with the workspace of the calls, or with undefined if the service does not report
 * it. The service is asked only once, when the workspace is first needed.
 */
export function workspaceOf(drs: Drs, signal: AbortSignal): () => Promise<string | undefined> {
  let asked: Promise<string | undefined> | undefined;
  return () => {
    asked ??= drs.me({ signal }).then(
      ({ workspaceId }) => workspaceId,
      () => undefined,
    );
    return asked;
  };
}
