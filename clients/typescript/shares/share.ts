import type { Share as WireShare } from "../gen/drs/v1/shares_pb.ts";
import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { LinkService } from "../gen/drs/v1/links_pb.ts";
import { present } from "../wire-names.ts";

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

/** A change of the key that signs links; times are milliseconds since the epoch, UTC. */
export interface LinkRotation {
  readonly rotatedAt: number;
  /** When the last link that was created before the change expires. */
  readonly olderEndBy: number;
}

export interface Links {
  /**
   * Replaces the key that signs links; only for the operator of the service. Links created before remain valid until
   * they expire, seven days at most; with `revoke` all of them, of every organisation, end at once.
   */
  rotate(input?: { readonly revoke?: boolean | undefined }, options?: RequestOptions): Promise<LinkRotation>;
}

export function createLinks(connection: Connection): Links {
  const client = createClient(LinkService, connection.transport);
  return {
    async rotate({ revoke = false } = {}, options) {
      const answer = await connection.call((call) => client.rotateLinks({ revoke }, call), options);
      const { rotatedAt, olderEndBy } = present(answer.rotation, "rotation");
      return { rotatedAt, olderEndBy };
    },
  };
}
