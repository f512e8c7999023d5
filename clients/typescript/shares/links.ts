import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { LinkService } from "../gen/drs/v1/links_pb.ts";
import { present } from "../wire-names.ts";

/** A change of the key that signs links; times are milliseconds since the epoch, UTC. */
export interface LinkRotation {
  readonly rotatedAt: number;
  /** When the last of the links created before ends. */
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
