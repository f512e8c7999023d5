import { isIPv6 } from "node:net";

const spelling = /^(?:(?<name>[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}))|\[(?<address>[^\]]{2,45})\])(?::\d{1,5})?$/;

/** Whether a text is `host[:port]` (RFC 3986, section 3.2) and nothing else: a name, or an address. */
export function isAuthority(text: string): boolean {
  const groups = spelling.exec(text)?.groups;
  if (groups === undefined) return false;
  return groups["address"] === undefined || isIPv6(groups["address"]);
}
