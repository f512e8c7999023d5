import type { ProviderSignIn } from "../domain/ports/provider-sign-in.ts";
import { createProviderSignIn } from "../domain/sign-in/provider-sign-in.ts";
import type { OidcSettings } from "../settings/oidc-settings.ts";
import type { Stores } from "../stores.ts";

/** Signs people in with the provider of the settings; undefined if they name none. */
export async function createSignIn(
  settings: OidcSettings,
  { metadata, clock }: Pick<Stores, "metadata" | "clock">,
): Promise<ProviderSignIn | undefined> {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = settings;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  const { createOpenIdProvider } = await import("../identity/openid.ts");
  const { oidcScopes: scopes, oidcGroupsClaim: groupsClaim } = settings;
  return createProviderSignIn({
    provider: createOpenIdProvider({ issuer, clientId, clientSecret, scopes, groupsClaim }),
    rules: {
      allowedDomains: settings.oidcAllowedDomains,
      organisation: settings.oidcOrganisation,
      roles: settings.oidcRoles,
      signUpPlan: settings.oidcSignUpPlan,
    },
    secret: clientSecret,
    metadata,
    clock,
  });
}
