import type { Share } from "@drs/client";
import { server } from "./drs.tsx";

/**
 * Returns a share link at the address that this page has for the server. Links may have another one, but the page may load from
 * no other.
 */
export function ownLink({ url }: Share, parameters: Readonly<Record<string, string>> = {}): string {
  const { pathname, searchParams } = new URL(url);
  for (const [name, value] of Object.entries(parameters)) searchParams.set(name, value);
  return `${server}${pathname.slice(pathname.lastIndexOf("/v1/share/"))}?${searchParams.toString()}`;
}
