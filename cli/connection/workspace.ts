import type { Drs } from "@drs/client";

/**
 * Returns a function that asks for the workspace of the calls, only once and only when needed; it resolves with
 * undefined if the service does not tell.
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
