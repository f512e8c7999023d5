import { basePath } from "../shell/drs.tsx";

/** Where invitations lead, below the path of the service. */
export const joinPath = "/join";

/** The invitation's token that the address came with, which is at once removed from it and from the history; undefined: none. */
export function takeInvitation(): string | undefined {
  const { hash, pathname } = location;
  if (pathname !== `${basePath}${joinPath}` || hash.length < 2) return undefined;
  history.replaceState(null, "", pathname);
  return hash.slice(1);
}
