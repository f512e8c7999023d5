import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useLocation } from "wouter";
import { useDrs, server } from "../shell/drs.tsx";
import { useTexts } from "../texts/texts.tsx";

/** Leads to the provider that people sign in with, where there is one, and back to where they were. */
export function SignInWays(): ReactElement | null {
  const { signIn } = useTexts();
  const drs = useDrs();
  const [location] = useLocation();
  const { data } = useQuery({
    queryKey: ["sign-in", "ways"],
    queryFn: async ({ signal }) => drs.sessions.ways({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined || data.oidc === null) return null;
  const { name, path } = data.oidc;
  return (
    <>
      <a className="button button-primary" href={`${server}${path}?${returnTo(location)}`}>
        {signIn.with(name)}
      </a>
      <p className="sign-in-or quiet small">{signIn.or}</p>
    </>
  );
}

/** The error of a try before is not what people come back for. */
function returnTo(path: string): string {
  const parameters = new URLSearchParams(window.location.search);
  parameters.delete("error");
  const query = parameters.toString();
  return new URLSearchParams({ return: query === "" ? path : `${path}?${query}` }).toString();
}
