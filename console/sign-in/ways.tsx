import type { SignInWays } from "@drs/client";
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useLocation, useSearchParams } from "wouter";
import { server, useDrs } from "../shell/drs.tsx";
import { signInMark } from "../shell/page-session.ts";
import { useTexts } from "../texts/texts.tsx";

/** The ways to sign in besides credentials; undefined until they are known. */
export function useSignInWays(): SignInWays | undefined {
  const drs = useDrs();
  const { data } = useQuery({
    queryKey: ["sign-in", "ways"],
    queryFn: async ({ signal }) => drs.sessions.ways({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}

/** A link to the provider, which leads back to the current view after sign-in. */
export function ProviderLink({ name, path }: NonNullable<SignInWays["oidc"]>): ReactElement {
  const { signIn } = useTexts();
  const [location] = useLocation();
  return (
    <>
      <a className="button button-primary" href={`${server}${path}?${returnTo(location)}`}>
        {signIn.with(name)}
      </a>
      <p className="sign-in-or quiet small">{signIn.or}</p>
    </>
  );
}

/** For people who were invited, but want an organisation of their own. */
export function FoundingLink({ path }: NonNullable<SignInWays["oidc"]>): ReactElement {
  const { signIn } = useTexts();
  return (
    <a className="button" href={`${server}${path}?found=1&${returnTo("/")}`}>
      {signIn.found}
    </a>
  );
}

/**
 * Returns the query that leads back to the current view, without the error of a previous attempt. The mark shows that this
 * console has started the sign-in.
 */
function returnTo(path: string): string {
  const parameters = new URLSearchParams(window.location.search);
  parameters.delete("error");
  const query = parameters.toString();
  return new URLSearchParams({ return: `${path}${query === "" ? "" : `?${query}`}#${signInMark()}` }).toString();
}

/** The reason why a sign-in with the provider has failed (`?error=CODE`); undefined if the address has none. */
export function useRefusal(): string | undefined {
  const { signIn } = useTexts();
  const [parameters] = useSearchParams();
  const code = parameters.get("error");
  if (code === null) return undefined;
  const reasons: Readonly<Record<string, string>> = signIn.refusals;
  return Object.hasOwn(reasons, code) ? reasons[code] : signIn.refusals.provider_refused;
}
