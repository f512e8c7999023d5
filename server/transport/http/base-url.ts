import type { IncomingHttpHeaders } from "node:http";
import { createTrust } from "./client-address.ts";
import { isIPv6 } from "node:net";

/** The parts of a request that say how it reached the server. */
export interface RequestOrigin {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

interface Options {
  /** The public address of the server; undefined to use the address that each request names. */
  readonly publicUrl?: string | undefined;
  /** Addresses and ranges (CIDR) of proxies whose headers are trusted. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The address that the server listens on, for requests that name no host. */
  readonly listening: () => string;
}

/**
 * Returns the base of links in the answer to a request, without a trailing slash: the address by which that request
 * reached the server. A forged header changes only the links of its own sender, since no other caller gets that answer.
 */
export function createBaseUrl({
  publicUrl,
  trustedProxies = [],
  listening,
}: Options): (request: RequestOrigin) => string {
  const isTrusted = createTrust(trustedProxies);
  return ({ headers, socket }) => {
    if (publicUrl !== undefined) return publicUrl;
    const said = isTrusted(socket.remoteAddress ?? "") ? forwardedIn(headers) : {};
    const own = headers[":authority"] ?? headers.host;
    const host = [said.host, typeof own === "string" ? own : undefined].find(
      (candidate) => candidate !== undefined && isAuthority(candidate),
    );
    if (host === undefined) return listening();
    return `${said.proto?.toLowerCase() === "https" ? "https" : "http"}://${host}`;
  };
}

/** The host and protocol according to the proxy nearest to the client: by RFC 7239, or by the older headers. */
function forwardedIn(headers: IncomingHttpHeaders): { readonly host?: string; readonly proto?: string } {
  const forwarded = first(headers["forwarded"]);
  if (forwarded !== undefined) {
    const pairs = forwarded.split(";").map((pair) => pair.split("=", 2).map((part) => part.trim()));
    const said = new Map(pairs.map(([name = "", value = ""]) => [name.toLowerCase(), value.replace(/^"(.*)"$/, "$1")]));
    return given(said.get("host"), said.get("proto"));
  }
  return given(first(headers["x-forwarded-host"]), first(headers["x-forwarded-proto"]));
}

const given = (host: string | undefined, proto: string | undefined) => ({
  ...(host !== undefined && { host }),
  ...(proto !== undefined && { proto }),
});

function first(value: string | string[] | undefined): string | undefined {
  const text = Array.isArray(value) ? value[0] : value;
  return text?.split(",", 1)[0]?.trim();
}

const spelling = /^(?:(?<name>[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}))|\[(?<address>[^\]]{2,45})\])(?::\d{1,5})?$/;

/** Whether a text is exactly `host[:port]` (RFC 3986, section 3.2), with a name or an address. */
export function isAuthority(text: string): boolean {
  const groups = spelling.exec(text)?.groups;
  if (groups === undefined) return false;
  return groups["address"] === undefined || isIPv6(groups["address"]);
}
