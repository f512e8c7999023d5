import type { Share as WireShare } from "../gen/drs/v1/shares_pb.ts";

/** A link to a file that needs no API key and expires by itself. */
export interface Share {
  readonly url: string;
  readonly token: string;
  /** When the link expires, milliseconds since the epoch, UTC. */
  readonly expiresAt: number | null;
}

export function shareOf(wire: WireShare | undefined): Share {
  return { url: wire?.url ?? "", token: wire?.token ?? "", expiresAt: wire?.expiresAt ?? null };
}

/** Options of every method that returns links. */
export interface LinkOptions {
  /** Lifetime of the share links in seconds, 1 to 604,800; default 600. */
  readonly expiresInSeconds?: number | undefined;
}
