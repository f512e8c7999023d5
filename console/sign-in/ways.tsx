import type { SignInWays } from "@drs/client";
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useLocation } from "wouter";
import { useDrs, server } from "../shell/drs.tsx";
import { signInMark } from "../shell/page-session.ts";
import { useTexts } from "../texts/texts.tsx";

/** How people sign in beside credentials; undefined: not known yet. */
export function useSignInWays(): SignInWays | undefined {
  const drs = useDrs();
  const { data } = useQuery({
    queryKey: ["sign-in", "ways"],
    queryFn: async ({ signal }) => drs.sessions.ways({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}

/** Leads to the provider that people sign in with, and back to where they were. */
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

/** For who is invited by others, and wants an organisation of their own. */
export function FoundingLink({ path }: NonNullable<SignInWays["oidc"]>): ReactElement {
  const { signIn } = useTexts();
  return (
    <a className="button" href={`${server}${path}?found=1&${returnTo("/")}`}>
      {signIn.found}
    </a>
  );
}

/** The error of a try before is not what people come back for. The mark says that this console has begun the sign-in. */
function returnTo(path: string): string {
  const parameters = new URLSearchParams(window.location.search);
  parameters.delete("error");
  const query = parameters.toString();
  return new URLSearchParams({ return: `${path}${query === "" ? "" : `?${query}`}#${signInMark()}` }).toString();
}
