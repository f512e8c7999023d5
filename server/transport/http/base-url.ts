import type { IncomingHttpHeaders } from "node:http";
import { createTrust } from "./client-address.ts";
import { isIPv6 } from "node:net";

/** What a request says of how it reached the server. */
export interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

interface Options {
  /** How others reach the server wherever they are; undefined: each as its request says. */
  readonly publicUrl?: string | undefined;
  /** Addresses and ranges (CIDR) of proxies whose word on how a client reached them is taken. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The address that the server listens on, for requests that do not say whom they ask. */
  readonly listening: () => string;
}

/**
 * What links in the answer to a request begin with, without a slash at the end: how that very request reached the server.
 * A forged header changes the links of its own sender alone, since no answer with links is given to another caller.
 */
export function createBaseUrl({ publicUrl, trustedProxies = [], listening }: Options): (request: Asked) => string {
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

/** What the proxy that is nearest to the client says: RFC 7239, or the headers that are older than it. */
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

/** Whether a text is `host[:port]` (RFC 3986, section 3.2) and nothing else: a name, or an address. */
export function isAuthority(text: string): boolean {
  const groups = spelling.exec(text)?.groups;
  if (groups === undefined) return false;
  return groups["address"] === undefined || isIPv6(groups["address"]);
}
