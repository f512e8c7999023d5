import { callbackify } from "node:util";
import type { FolderAddress } from "@drs/server/folder";
import { Agent } from "undici";
import { connectProven, Unproven } from "./proven.ts";

/** Requests to the server of a data folder. */
export interface ProvenFetch {
  readonly fetch: typeof fetch;
  /** Closes what is open, requests under way included. */
  close(): Promise<void>;
}

/**
 * A fetch for the server of a data folder: each of its connections has been proven to lead there before anything is sent
 * on it, whatever host the address of a request names. Requests for other origins, such as the links of a server with a
 * public address, go the usual way.
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

/** Whether a request failed since its server was not found at its address: none of it was sent. */
export function isUnproven(cause: unknown): boolean {
  return cause instanceof Error && cause.cause instanceof Unproven;
}
