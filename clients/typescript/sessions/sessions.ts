import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { type Session as WireSession, SessionService } from "../gen/drs/v1/sessions_pb.ts";
import { present } from "../present.ts";

/** A signed-in browser. Times are milliseconds since the epoch, UTC. */
export interface Session {
  readonly id: string;
  /** What the browser called itself; empty if it did not. */
  readonly agent: string;
  readonly createdAt: number;
  /** Exact to a minute; null: never. */
  readonly lastUsedAt: number | null;
  /** When it ends at the latest; it ends earlier if it has not been used for a week. */
  readonly expiresAt: number;
  /** The call itself came with this session. */
  readonly isCurrent: boolean;
}

/** Lets one browser sign in, once. */
export interface SignInCode {
  /** This is the only place where it appears. */
  readonly code: string;
  /** Milliseconds since the epoch, UTC. */
  readonly expiresAt: number;
  /** Where a browser signs in with it. */
  readonly uri: string;
}

/** The ways of signing in beside personal tokens, API keys and codes. */
export interface SignInWays {
  /** The provider of OpenID Connect: what people know it by, and where the browser goes; null: none. */
  readonly oidc: { readonly name: string; readonly path: string } | null;
  /** Who is not invited founds an organisation by signing in. */
  readonly signUp: boolean;
}

export interface Sessions {
  /** Needs no key. */
  ways(options?: RequestOptions): Promise<SignInWays>;
  /**
   * Signs this browser in, with a personal token, an API key or a code: the session's secret is in a cookie. Only pages of the
   * service's own can do it, with the option `session`.
   */
  begin(credential: string, options?: RequestOptions): Promise<Session>;
  /** Those of the same member or API key, oldest first. */
  list(options?: RequestOptions): Promise<readonly Session[]>;
  end(id: string, options?: RequestOptions): Promise<void>;
  /** A code that signs a browser in as the caller, within a minute. */
  createCode(options?: RequestOptions): Promise<SignInCode>;
}

export function createSessions(connection: Connection): Sessions {
  const client = createClient(SessionService, connection.transport);
  return {
    async ways(options) {
      const { oidc, signUp } = present(
        (await connection.call((call) => client.getSignInWays({}, call), options)).ways,
        "ways",
      );
      return { oidc: oidc === undefined ? null : { name: oidc.name, path: oidc.path }, signUp };
    },
    async begin(credential, options) {
      const answer = await connection.call((call) => client.signIn({ credential }, call), options);
      return sessionOf(present(answer.session, "session"));
    },
    async list(options) {
      const answer = await connection.call((call) => client.listSessions({}, call), options);
      return answer.data.map(sessionOf);
    },
    async end(id, options) {
      await connection.call((call) => client.endSession({ id }, call), options);
    },
    async createCode(options) {
      const answer = await connection.call((call) => client.createSignInCode({}, call), options);
      const { code, expiresAt, uri } = present(answer.code, "code");
      return { code, expiresAt, uri };
    },
  };
}

function sessionOf({ id, agent, createdAt, lastUsedAt, expiresAt, isCurrent }: WireSession): Session {
  return { id, agent, createdAt, lastUsedAt: lastUsedAt ?? null, expiresAt, isCurrent };
}
