import { basePath } from "../shell/drs.tsx";

/** The path of invitation links, below the path of the service. */
export const joinPath = "/join";

/** Returns the invitation token in the address, and removes it from address and history; undefined if there is none. */
export function takeInvitation(): string | undefined {
  const { hash, pathname } = location;
  if (pathname !== `${basePath}${joinPath}` || hash.length < 2) return undefined;
  history.replaceState(null, "", pathname);
  return hash.slice(1);
}
