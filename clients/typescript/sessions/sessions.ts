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

/** What a member signs in with at a provider. */
export interface ProviderIdentity {
  readonly issuer: string;
  /** When it was linked, milliseconds since the epoch, UTC. */
  readonly createdAt: number;
}

/** Whom a credential signs in. */
export interface SignInOffer {
  /** Of the member or the API key; a key may have none. */
  readonly name: string;
  readonly organisationName: string;
}

export interface Sessions {
  /** What who calls signs in with at providers, oldest first; an API key has none. */
  identities(options?: RequestOptions): Promise<readonly ProviderIdentity[]>;
  /**
   * Begins to link who calls with a person at the provider, and resolves with the address that the browser goes to. Only pages of
   * the service's own can do it.
   */
  link(options?: RequestOptions): Promise<string>;
  /** Forgets them all. */
  unlink(options?: RequestOptions): Promise<void>;
  /** Needs no key. */
  ways(options?: RequestOptions): Promise<SignInWays>;
  /**
   * Signs this browser in, with a personal token, an API key or a code: the session's secret is in a cookie. Only pages of the
   * service's own can do it, with the option `session`.
   */
  begin(credential: string, options?: RequestOptions): Promise<Session>;
  /** Whom `begin` would sign in with the credential; a code is not used up. Only pages of the service's own can ask. */
  whom(credential: string, options?: RequestOptions): Promise<SignInOffer>;
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
      const session = present(answer.session, "session");
      connection.session?.keep(present(session.pageSecret, "pageSecret"));
      return sessionOf(session);
    },
    async whom(credential, options) {
      const answer = await connection.call((call) => client.signIn({ credential, dryRun: true }, call), options);
      const { holderName = "", organisationName = "" } = present(answer.session, "session");
      return { name: holderName, organisationName };
    },
    async list(options) {
      const answer = await connection.call((call) => client.listSessions({}, call), options);
      return answer.data.map(sessionOf);
    },
    async end(id, options) {
      await connection.call((call) => client.endSession({ id }, call), options);
    },
    async identities(options) {
      const answer = await connection.call((call) => client.listIdentities({}, call), options);
      return answer.data.map(({ issuer, createdAt }) => ({ issuer, createdAt }));
    },
    async link(options) {
      const answer = await connection.call((call) => client.linkIdentity({}, call), options);
      return present(answer.link, "link").address;
    },
    async unlink(options) {
      await connection.call((call) => client.unlinkIdentities({}, call), options);
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
