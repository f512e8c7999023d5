import type { Drs } from "@drs/client";

/** The workspace that calls go to, asked for once and only if it is wanted; undefined: the service does not say. */
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
