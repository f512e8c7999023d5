import { flagOf, optional, setting, type ValuesOf } from "./setting-definition.ts";
import { anyText, listOf, oneOf, SettingError } from "./setting-values.ts";

const roles = ["viewer", "member", "admin", "owner"] as const;

/** The settings for signing in with OpenID Connect; it is off without an issuer. */
export type OidcSettings = ValuesOf<typeof oidcSettings>;

export const oidcSettings = {
  oidcIssuer: optional(
    "URL",
    "issuer of the OpenID Connect provider that people sign in with; unset: they sign in with tokens and keys",
    issuer,
  ),
  oidcClientId: optional("ID", "what the provider calls this service", anyText),
  oidcClientSecret: optional("SECRET", "the secret of this service with the provider", anyText),
  oidcScopes: setting(
    "LIST",
    "scopes to request; some providers need another one for groups",
    "openid,email,profile",
    scopes,
  ),
  /** Domains in lower case. */
  oidcAllowedDomains: setting(
    "LIST",
    "domains of verified e-mail addresses whose people join the organisation of --oidc-organisation when they first sign in",
    "",
    listOf(domain),
  ),
  oidcOrganisation: optional(
    "ID",
    "organisation that people of the allowed domains join, and whose roles follow --oidc-roles; unset: the one that runs the service",
    anyText,
  ),
  oidcGroupsClaim: setting("NAME", "claim of the provider that says the groups of a person", "groups", anyText),
  oidcRoles: setting(
    "LIST",
    "GROUP=ROLE, comma-separated, *=ROLE for everybody: each sign-in sets the highest matching role, and is refused if none matches; unset: people of the allowed domains join as members",
    "",
    listOf(roleOfGroup),
  ),
  oidcSignUpPlan: optional(
    "PLAN",
    "plan of the organisations that everybody else founds when they first sign in; unset: they are refused",
    anyText,
  ),
};

/** Throws `SettingError` for a setting that has no effect without another. */
export function checkOidcSettings(settings: OidcSettings): void {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcAllowedDomains, oidcRoles, oidcSignUpPlan } = settings;
  if (oidcIssuer === undefined) {
    const useless = [oidcClientId, oidcClientSecret, oidcAllowedDomains[0], oidcRoles[0], oidcSignUpPlan];
    if (useless.some((value) => value !== undefined)) {
      throw new SettingError(`${flagOf("oidcIssuer")} is unset, and what else is set of OpenID Connect needs it`);
    }
  } else if (oidcClientId === undefined || oidcClientSecret === undefined) {
    const missing = oidcClientId === undefined ? "oidcClientId" : "oidcClientSecret";
    throw new SettingError(`${flagOf(missing)} must be set with an issuer; the provider gives it out with the client`);
  }
}

/** Keeps a slash at the end of the URL, which may be part of the provider's own name. */
function issuer(text: string, flag: string): string {
  const url = URL.parse(text);
  const isLocal = url !== null && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLocal);
  if (url === null || !isSafe || `${url.username}${url.password}${url.search}${url.hash}` !== "") {
    throw new SettingError(`${flag} must be an https address without a query (http on this machine), not "${text}"`);
  }
  return text;
}

function scopes(text: string, flag: string): readonly string[] {
  const entries = listOf(anyText)(text, flag);
  if (entries.includes("openid")) return entries;
  throw new SettingError(`${flag} must name openid, without which the provider does not say who signs in`);
}

function domain(text: string, flag: string): string {
  if (/^[a-z\d-]+(?:\.[a-z\d-]+)+$/i.test(text)) return text.toLowerCase();
  throw new SettingError(`${flag} must be domains such as example.org, not "${text}"`);
}

function roleOfGroup(text: string, flag: string): readonly [group: string, role: (typeof roles)[number]] {
  const at = text.lastIndexOf("=");
  const group = text.slice(0, Math.max(at, 0)).trim();
  if (group === "") throw new SettingError(`${flag} must be like GROUP=ROLE, not "${text}"`);
  return [group, oneOf(roles)(text.slice(at + 1).trim(), flag)];
}
