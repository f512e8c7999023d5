import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import { isWithin, parseAddress, parseRange } from "../../address-ranges.ts";

/** Finds the address that a request comes from. */
export type ClientAddress = (request: Pick<IncomingMessage, "headers" | "socket">) => string;

/**
 * The address of the peer or, behind trusted proxies, the client address in `X-Forwarded-For`. The nearest proxy adds
 * the last entry; entries before the first untrusted address may be forged. `Forwarded` is not read, because proxies
 * that do not know it pass on what a client has written there.
 */
export function createClientAddress(isTrusted: (address: string) => boolean): ClientAddress {
  return ({ headers, socket }) => {
    let address = socket.remoteAddress ?? "";
    const hops = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
    while (isTrusted(address)) {
      const hop = addressIn(hops.pop() ?? "");
      if (hop === undefined) break;
      address = hop;
    }
    return address;
  };
}

/** The address in an entry of the header, with or without a port. */
function addressIn(entry: string): string | undefined {
  const text = entry.trim();
  const bare = /^\[(?<v6>[^\]]+)\](?::\d+)?$|^(?<v4>[^:]+):\d+$/.exec(text)?.groups;
  const address = bare?.["v6"] ?? bare?.["v4"] ?? text;
  return ipaddr.isValid(address) ? address : undefined;
}

/** The network of an address: a client with IPv6 has 2^64 addresses. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":");
}

/**
 * The network that clients are counted by. Undefined for loopback and for Unix sockets, which have no address: there, a
 * proxy may stand for all clients.
 */
export function countedNetworkOf(address: string): string | undefined {
  if (!ipaddr.isValid(address) || ipaddr.process(address).range() === "loopback") return undefined;
  return networkOf(address);
}

/**
 * Returns a check whether an address is within these addresses and ranges (CIDR), which the settings have validated.
 */
export function createTrust(entries: readonly string[]): (address: string) => boolean {
  const ranges = entries.flatMap((entry) => {
    const range = parseRange(entry);
    return range === undefined ? [] : [range];
  });
  return (text) => {
    const address = parseAddress(text);
    return address !== undefined && ranges.some((range) => isWithin(range, address));
  };
}
