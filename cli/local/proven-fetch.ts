import { callbackify } from "node:util";
import type { FolderAddress } from "@drs/server/folder";
import { Agent } from "undici";
import { connectProven, Unproven } from "./proven.ts";

/** Sends requests to the server of a data folder. */
export interface ProvenFetch {
  readonly fetch: typeof fetch;
  /** Closes all connections, including those with running requests. */
  close(): Promise<void>;
}

/**
 * Creates a fetch for the server of a data folder. Each connection is verified to lead to that server before anything
 * is sent on it, whatever host a request names. Requests to other origins, such as links of a server with a public
 * address, are sent as usual.
 */
export function createProvenFetch(address: FolderAddress): ProvenFetch {
  const open = callbackify(() => connectProven(address));
  const agent = new Agent({
    connect: (_options, done) => open((failure, socket) => (socket ? done(null, socket) : done(failure, null))),
  });
  const { origin } = new URL(address.url);
  return {
    fetch: (input, init) =>
      new URL(input instanceof Request ? input.url : input).origin === origin
        ? // A redirect could lead the key elsewhere; the service sends none where keys go.
          fetch(input, Object.assign({ redirect: "error" }, init, { dispatcher: agent }))
        : fetch(input, init),
    close: () => agent.destroy(),
  };
}

/** Returns whether a request failed because its server was not found at its address, so that nothing was sent. */
export function isUnproven(cause: unknown): boolean {
  return cause instanceof Error && cause.cause instanceof Unproven;
}
