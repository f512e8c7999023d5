import { createDrs, type Drs, type Share } from "@drs/client";
import { createContext, type ReactElement, type ReactNode, useContext, useMemo } from "react";
import { pageSession } from "./page-session.ts";
import { usePreference } from "./preferences.ts";

/** The address of the service without a trailing slash. It may be below a path of a proxy. */
export const server = new URL(".", document.baseURI).href.replace(/\/$/, "");
/** The path that all views are below; "" at the root. */
export const basePath = new URL(server).pathname.replace(/\/$/, "");

const Client = createContext<Drs | undefined>(undefined);

/** Provides a client that uses the session of this browser and the chosen workspace. */
export function DrsProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const [workspace] = usePreference("workspace");
  const drs = useMemo(
    () => createDrs({ server, session: pageSession, ...(workspace !== "" && { workspace }) }),
    [workspace],
  );
  return <Client value={drs}>{children}</Client>;
}

export function useDrs(): Drs {
  const drs = useContext(Client);
  if (drs === undefined) throw new Error("a view is outside of DrsProvider");
  return drs;
}

/**
 * Returns a share link with the server address from which this page was loaded. The link may have another address of the server,
 * from which this page is not allowed to load anything.
 */
export function ownLink({ url }: Share, parameters: Readonly<Record<string, string>> = {}): string {
  const { pathname, searchParams } = new URL(url);
  for (const [name, value] of Object.entries(parameters)) searchParams.set(name, value);
  return `${server}${pathname.slice(pathname.lastIndexOf("/v1/share/"))}?${searchParams.toString()}`;
}
