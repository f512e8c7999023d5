import { setting, type SettingDefinition, type SettingTexts } from "./setting-definition.ts";
import { list, oneOf, SettingError } from "./setting-values.ts";

const roles = ["viewer", "member", "admin", "owner"] as const;
type Role = (typeof roles)[number];

/** The settings for signing in with OpenID Connect; it is off without an issuer. */
export interface OidcSettings {
  /** The issuer without a slash at the end, unless the provider's own name has one. */
  readonly oidcIssuer: string | undefined;
  readonly oidcClientId: string | undefined;
  readonly oidcClientSecret: string | undefined;
  readonly oidcScopes: readonly string[];
  /** Domains in lower case. */
  readonly oidcAllowedDomains: readonly string[];
  /** The organisation's id; undefined for the one that operates the service. */
  readonly oidcOrganisation: string | undefined;
  readonly oidcGroupsClaim: string;
  /** Roles by group; `*` stands for everybody. */
  readonly oidcRoles: readonly (readonly [group: string, role: Role])[];
  /** Undefined if nobody can found an organisation by signing in. */
  readonly oidcSignUpPlan: string | undefined;
}

export const oidcDefinitions: readonly SettingDefinition<keyof OidcSettings>[] = [
  setting(
    "oidcIssuer",
    "URL",
    "issuer of the OpenID Connect provider that people sign in with; unset: they sign in with tokens and keys",
    undefined,
  ),
  setting("oidcClientId", "ID", "what the provider calls this service", undefined),
  setting("oidcClientSecret", "SECRET", "the secret of this service with the provider", undefined),
  setting(
    "oidcScopes",
    "LIST",
    "what the provider is asked for; some want one more for groups",
    "openid,email,profile",
  ),
  setting(
    "oidcAllowedDomains",
    "LIST",
    "domains of verified e-mail addresses whose people join the organisation of --oidc-organisation when they first sign in",
    "",
  ),
  setting(
    "oidcOrganisation",
    "ID",
    "organisation that people of the allowed domains join, and whose roles follow --oidc-roles; unset: the one that runs the service",
    undefined,
  ),
  setting("oidcGroupsClaim", "NAME", "claim of the provider that says the groups of a person", "groups"),
  setting(
    "oidcRoles",
    "LIST",
    "GROUP=ROLE, comma-separated, *=ROLE for everybody: the highest counts, at every sign-in, and who gets none is refused; unset: people of the allowed domains join as members",
    "",
  ),
  setting(
    "oidcSignUpPlan",
    "PLAN",
    "plan of the organisations that everybody else founds when they first sign in; unset: they are refused",
    undefined,
  ),
];

/** Reads these settings. Throws `SettingError`, also for a setting that has no effect without another. */
export function readOidcSettings({ text, need, flagOf }: SettingTexts<keyof OidcSettings>): OidcSettings {
  const settings: OidcSettings = {
    oidcIssuer: issuer(flagOf("oidcIssuer"), text("oidcIssuer")),
    oidcClientId: text("oidcClientId"),
    oidcClientSecret: text("oidcClientSecret"),
    oidcScopes: scopes(flagOf("oidcScopes"), list(need("oidcScopes"))),
    oidcAllowedDomains: domains(flagOf("oidcAllowedDomains"), list(text("oidcAllowedDomains"))),
    oidcOrganisation: text("oidcOrganisation"),
    oidcGroupsClaim: need("oidcGroupsClaim"),
    oidcRoles: list(text("oidcRoles")).map((entry) => roleOf(flagOf("oidcRoles"), entry)),
    oidcSignUpPlan: text("oidcSignUpPlan"),
  };
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
  return settings;
}

function issuer(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isLocal = url !== null && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLocal);
  if (url === null || !isSafe || `${url.username}${url.password}${url.search}${url.hash}` !== "") {
    throw new SettingError(`${flag} must be an https address without a query (http on this machine), not "${text}"`);
  }
  return text;
}

function scopes(flag: string, entries: readonly string[]): readonly string[] {
  if (entries.includes("openid")) return entries;
  throw new SettingError(`${flag} must name openid, without which the provider does not say who signs in`);
}

function domains(flag: string, entries: readonly string[]): readonly string[] {
  for (const entry of entries) {
    if (/^[a-z\d-]+(?:\.[a-z\d-]+)+$/i.test(entry)) continue;
    throw new SettingError(`${flag} must be domains such as example.org, not "${entry}"`);
  }
  return entries.map((entry) => entry.toLowerCase());
}

function roleOf(flag: string, entry: string): readonly [string, Role] {
  const at = entry.lastIndexOf("=");
  const group = entry.slice(0, Math.max(at, 0)).trim();
  if (group === "") throw new SettingError(`${flag} must be like GROUP=ROLE, not "${entry}"`);
  return [group, oneOf(flag, entry.slice(at + 1).trim(), roles)];
}
