import type { Share } from "@drs/client";
import { server } from "./drs.tsx";

/**
 * A share link by the name that this page has the server by, which may be another than the one that links are given out with: the
 * page may read from nowhere else.
 */
export function ownLink({ url }: Share, parameters: Readonly<Record<string, string>> = {}): string {
  const { pathname, searchParams } = new URL(url);
  for (const [name, value] of Object.entries(parameters)) searchParams.set(name, value);
  return `${server}${pathname.slice(pathname.lastIndexOf("/v1/share/"))}?${searchParams.toString()}`;
}
