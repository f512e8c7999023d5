import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";

/** Where a request comes from. What a proxy that is trusted says of its client would be read here. */
export function clientAddressOf(request: Pick<IncomingMessage, "socket">): string {
  return request.socket.remoteAddress ?? "";
}

/** The network that an address belongs to: a client with an IPv6 address has 2^64 of them. */
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
 * The network that clients are counted by. Undefined for loopback and for Unix sockets, which have no address: there a
 * proxy may stand for all clients.
 */
export function countedNetworkOf(address: string): string | undefined {
  if (!ipaddr.isValid(address) || ipaddr.process(address).range() === "loopback") return undefined;
  return networkOf(address);
}
