import ipaddr from "ipaddr.js";
import { invalid } from "../domain/errors.ts";

/** Decides which addresses drs may connect to on behalf of a caller. */
export interface AllowedAddresses {
  /** The settings name this host: it is allowed wherever it leads. */
  allowsHost(host: string): boolean;
  allowsAddress(address: string): boolean;
}

/**
 * Public unicast addresses, and what the settings add: host names, addresses, ranges in CIDR notation.
 * Throws `invalid` for an entry that is none of these.
 */
export function createAllowedAddresses(entries: readonly string[]): AllowedAddresses {
  const hosts = new Set<string>();
  const ranges: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [];
  for (const entry of entries) {
    if (ipaddr.isValidCIDR(entry)) ranges.push(ipaddr.parseCIDR(entry));
    else if (ipaddr.isValid(entry)) ranges.push(single(ipaddr.process(entry)));
    else if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(entry)) hosts.add(plainHost(entry));
    else throw invalid(`--url-allow (DRS_URL_ALLOW) has "${entry}", which is no host, address or range`);
  }
  return {
    allowsHost: (host) => hosts.has(plainHost(host)),
    allowsAddress(text) {
      if (!ipaddr.isValid(text)) return false;
      // An IPv4-mapped IPv6 address is judged as the IPv4 address.
      const address = ipaddr.process(text);
      return isPublic(address) || ranges.some((range) => contains(range, address));
    },
  };
}

/** Lower case, without the dot that ends a fully qualified name. */
export function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

/** The only IPv6 addresses in public use (RFC 4291 2.4); everything else has a special meaning or none yet. */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];
/** Azure's platform service: a public number, answered by the host that a virtual machine runs on. */
const azurePlatform = single(ipaddr.IPv4.parse("168.63.129.16"));

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  // Ranges that wrap IPv4 addresses (NAT64, 6to4, Teredo) have names of their own, so none of them is "unicast".
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv6" ? contains(globalUnicast, address) : !contains(azurePlatform, address);
}

function single(address: ipaddr.IPv4 | ipaddr.IPv6): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

function contains([base, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number], address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return base.kind() === address.kind() && address.match(base, bits);
}
