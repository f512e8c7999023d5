import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { type Session as WireSession, SessionService } from "../gen/drs/v1/sessions_pb.ts";
import { present } from "../wire-names.ts";

/** A signed-in browser. Times are milliseconds since the epoch, UTC. */
export interface Session {
  readonly id: string;
  /** The browser's name for itself; empty if it did not send one. */
  readonly agent: string;
  readonly createdAt: number;
  /** Exact to a minute; null if never used. */
  readonly lastUsedAt: number | null;
  /** When it ends at the latest; it ends earlier if it is not used for a week. */
  readonly expiresAt: number;
  /** Whether this call used it. */
  readonly isCurrent: boolean;
}

/** A code with which one browser can sign in, once. */
export interface SignInCode {
  /** The code, which is shown only here. */
  readonly code: string;
  /** Milliseconds since the epoch, UTC. */
  readonly expiresAt: number;
  /** Address where a browser signs in with it. */
  readonly uri: string;
}

/** Ways of signing in beside personal tokens, API keys and codes. */
export interface SignInWays {
  /** The OpenID Connect provider: its name for people, and the path that the browser goes to; null if there is none. */
  readonly oidc: { readonly name: string; readonly path: string } | null;
  /** Whether people without an invitation can found an organisation by signing in. */
  readonly signUp: boolean;
}

/** A member's identity at a sign-in provider. */
export interface ProviderIdentity {
  readonly issuer: string;
  /** When it was linked, milliseconds since the epoch, UTC. */
  readonly createdAt: number;
}

/** The holder of a credential. */
export interface SignInOffer {
  /** Name of the member or the API key; a key may have none. */
  readonly name: string;
  readonly organisationName: string;
}

export interface Sessions {
  /** Lists the caller's identities at providers, oldest first; an API key has none. */
  identities(options?: RequestOptions): Promise<readonly ProviderIdentity[]>;
  /**
   * Begins to link the caller with a person at the provider, and resolves with the address that the browser goes to.
   * Only the service's own pages can do it.
   */
  link(options?: RequestOptions): Promise<string>;
  /** Removes all of the caller's identities. */
  unlink(options?: RequestOptions): Promise<void>;
  /** Returns the ways of signing in. Needs no key. */
  ways(options?: RequestOptions): Promise<SignInWays>;
  /**
   * Signs this browser in, with a personal token, an API key or a code; the session's secret is in a cookie. Only the
   * service's own pages can do it, with the option `session`.
   */
  begin(credential: string, options?: RequestOptions): Promise<Session>;
  /**
   * Returns the holder that `begin` would sign in with the credential; a code is not used up. Only the service's own
   * pages can ask.
   */
  preview(credential: string, options?: RequestOptions): Promise<SignInOffer>;
  /** Lists the sessions of the same member or API key, oldest first. */
  list(options?: RequestOptions): Promise<readonly Session[]>;
  end(id: string, options?: RequestOptions): Promise<void>;
  /** Creates a code that signs a browser in as the caller, within a minute. */
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
    async preview(credential, options) {
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
