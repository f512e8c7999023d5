import { generateKeyPairSync, sign } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider, type Configuration } from "oidc-provider";

/** The claims of the provider about a person, besides `sub`. */
export interface Claims {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
}

/** A real provider of OpenID Connect on the loopback. It knows one service, from `serve` on. */
export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The person who signs in next, without a prompt; null to decline. */
  person: string | null;
  /** By the subject. */
  readonly people: Map<string, Claims>;
  /** Replaces the ID tokens of the provider; `signed` signs with its key. If undefined, they stay unchanged. */
  forge: ((idToken: string, signed: SignToken) => string) | undefined;
  /** Answers from now on, for the service that browsers come back to at the address. */
  serve(redirectUri: string): void;
  close(): Promise<void>;
}

type SignToken = (header: object, claims: object) => string;

/** Header and claims of a JWT. */
export function readToken(token: string): readonly [header: object, claims: object] {
  const [header = "", claims = ""] = token.split(".");
  const read = (part: string): object => JSON.parse(Buffer.from(part, "base64url").toString());
  return [read(header), read(claims)];
}

/** A JWT without a signature, to which one may be added. */
export const tokenOf = (header: object, claims: object): string =>
  [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** As a provider does whose service is away. */
const away: Answer = (_request, response) => void response.writeHead(503).end();

export async function startIdentityProvider(): Promise<TestProvider> {
  let answer = away;
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ["drs", "a secret of thirty-two characters"];
  const people = new Map<string, Claims>();
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const signed: SignToken = (header, claims) => {
    const text = tokenOf(header, claims);
    return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
  };
  const scope = "openid email profile";

  const provider: TestProvider = {
    issuer,
    clientId,
    clientSecret,
    person: null,
    people,
    forge: undefined,
    serve(redirectUri) {
      const configuration: Configuration = {
        clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
        cookies: { keys: ["of the tests"] },
        jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kty: "RSA", use: "sig", alg: "RS256", kid: "one" }] },
        claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
        ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
        pkce: { required: () => true },
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
        findAccount: (_context, accountId) => ({
          accountId,
          claims: async () => ({ sub: accountId, ...people.get(accountId) }),
        }),
        async loadExistingGrant({ oidc }) {
          const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session?.accountId ?? "" });
          grant.addOIDCScope(scope);
          await grant.save();
          return grant;
        },
      };
      const real = new Provider(issuer, configuration);
      const callback = real.callback();
      answer = (request, response) => {
        if (provider.forge !== undefined && request.url === "/token") forgeIn(response, provider.forge, signed);
        if (request.url?.startsWith("/interaction/") !== true) return void callback(request, response);
        const { person } = provider;
        const result =
          person === null
            ? { error: "access_denied", error_description: "declined" }
            : { login: { accountId: person } };
        void real.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

/** Has an answer with tokens go out with another ID token. */
function forgeIn(response: ServerResponse, forge: NonNullable<TestProvider["forge"]>, signed: SignToken): void {
  const end = response.end.bind(response);
  response.end = (body: unknown) => {
    const said: { id_token: string } = JSON.parse(String(body));
    const text = JSON.stringify({ ...said, id_token: forge(said.id_token, signed) });
    return end(Buffer.from(text));
  };
  const setHeader = response.setHeader.bind(response);
  // The forged answer has another length.
  response.setHeader = (name, value) => (name.toLowerCase() === "content-length" ? response : setHeader(name, value));
}
