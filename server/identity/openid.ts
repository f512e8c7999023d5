import * as openid from "openid-client";
import type { Challenge, IdentityProvider, Person } from "../domain/ports/provider-sign-in.ts";
import { SignInRefusal } from "../domain/sign-in/refusal.ts";

export interface OpenIdOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** The claim that contains a person's groups. */
  readonly groupsClaim: string;
}

/** Timeout of each request to the provider, seconds. */
const timeoutSeconds = 10;
/** After this time the provider's endpoints are discovered again. */
const maxAgeMs = 3_600_000;

/**
 * An OpenID Connect provider: authorization code with PKCE (S256), state and nonce. It is first contacted when
 * somebody signs in, so the service starts and is ready without it.
 */
export function createOpenIdProvider(options: OpenIdOptions): IdentityProvider {
  const configuration = createDiscovery(options);
  return {
    name: new URL(options.issuer).host,
    async begin(redirectUri) {
      const config = await configuration();
      const challenge: Challenge = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        codeVerifier: openid.randomPKCECodeVerifier(),
      };
      const address = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        response_type: "code",
        scope: options.scopes.join(" "),
        state: challenge.state,
        nonce: challenge.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(challenge.codeVerifier),
        code_challenge_method: "S256",
      });
      return { address: address.href, challenge };
    },
    async finish(address, { state, nonce, codeVerifier }) {
      const config = await configuration();
      try {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier };
        const tokens = await openid.authorizationCodeGrant(config, new URL(address), {
          ...checks,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new SignInRefusal("provider_answer_invalid", "it has no ID token");
        const hasMore = config.serverMetadata().userinfo_endpoint !== undefined;
        const more = hasMore ? await openid.fetchUserInfo(config, tokens.access_token, claims.sub) : {};
        return personOf(claims, more, options.groupsClaim);
      } catch (cause) {
        throw refusalOf(cause);
      }
    },
  };
}

function createDiscovery({ issuer, clientId, clientSecret }: OpenIdOptions): () => Promise<openid.Configuration> {
  const server = new URL(issuer);
  // By default the library trusts the connection to the provider and does not check the signatures of ID tokens.
  const execute = [openid.enableNonRepudiationChecks];
  if (server.protocol === "http:") execute.push(openid.allowInsecureRequests);
  let found: { readonly config: Promise<openid.Configuration>; readonly at: number } | undefined;
  return async () => {
    const now = performance.now();
    if (found === undefined || now - found.at > maxAgeMs) {
      const options = { execute, timeout: timeoutSeconds };
      found = { config: openid.discovery(server, clientId, clientSecret, undefined, options), at: now };
    }
    const { config } = found;
    try {
      return await config;
    } catch (cause) {
      if (found?.config === config) found = undefined;
      throw new SignInRefusal("provider_unavailable", `${issuer}: ${reasonOf(cause)}`);
    }
  };
}

type Claims = Readonly<Record<string, unknown>>;

/** Claims of the ID token take precedence over those of the user info endpoint. */
function personOf(idToken: Claims & { iss: string; sub: string }, userInfo: Claims, groupsClaim: string): Person {
  const sources = [idToken, userInfo];
  const text = (claim: string): string | undefined =>
    sources.map((source) => source[claim]).find((value): value is string => typeof value === "string" && value !== "");
  // `email_verified` counts only in the source that contains the address.
  const verified = sources.find(({ email, email_verified }) => typeof email === "string" && email_verified === true);
  const groups = sources.map((source) => source[groupsClaim]).find((value) => value !== undefined);
  return {
    issuer: idToken.iss,
    subject: idToken.sub,
    verifiedEmail: typeof verified?.["email"] === "string" ? verified["email"] : undefined,
    name: text("name") ?? text("preferred_username"),
    groups: (Array.isArray(groups) ? groups : [groups]).filter((group) => typeof group === "string"),
  };
}

function refusalOf(cause: unknown): SignInRefusal {
  if (cause instanceof SignInRefusal) return cause;
  // The provider's own explanation of a failed sign-in.
  if (cause instanceof openid.AuthorizationResponseError || cause instanceof openid.ResponseBodyError)
    return new SignInRefusal("provider_refused", `${cause.error}: ${cause.error_description ?? "no reason given"}`);
  const isAway = cause instanceof TypeError || (cause instanceof Error && isTimeout(cause));
  return new SignInRefusal(isAway ? "provider_unavailable" : "provider_answer_invalid", reasonOf(cause));
}

const isTimeout = ({ name, ...error }: Error): boolean =>
  name === "TimeoutError" || ("code" in error && error.code === "OAUTH_TIMEOUT");

/** Returns messages only: causes may contain tokens. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { cause: inner } = cause;
  const code = inner instanceof Error && "code" in inner ? inner.code : undefined;
  return typeof code === "string" ? `${cause.message} (${code})` : cause.message;
}
