import ipaddr from "ipaddr.js";
import { type Address, type AddressRange, isWithin, parseAddress, parseRange } from "../address-ranges.ts";
import { invalid } from "../domain/errors.ts";

/** Decides which addresses drs may connect to on behalf of a caller. */
export interface AllowedAddresses {
  /** Whether the settings name this host, which is then allowed wherever it leads. */
  allowsHost(host: string): boolean;
  allowsAddress(address: string): boolean;
}

/**
 * Allows public unicast addresses, and the host names, addresses and CIDR ranges of the settings. Throws `invalid`
 * for an entry that is none of these.
 */
export function createAllowedAddresses(entries: readonly string[]): AllowedAddresses {
  const hosts = new Set<string>();
  const ranges: AddressRange[] = [];
  for (const entry of entries) {
    const range = parseRange(entry);
    if (range !== undefined) ranges.push(range);
    else if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(entry)) hosts.add(plainHost(entry));
    else throw invalid(`--url-allow (DRS_URL_ALLOW) has "${entry}", which is not a host, an address or a range`);
  }
  return {
    allowsHost: (host) => hosts.has(plainHost(host)),
    allowsAddress(text) {
      const address = parseAddress(text);
      return address !== undefined && (isPublic(address) || ranges.some((range) => isWithin(range, address)));
    },
  };
}

/** Lower case, without the trailing dot of a fully qualified name. */
export function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

/** The only IPv6 addresses in public use (RFC 4291 2.4); everything else has a special meaning or none yet. */
const globalUnicast: AddressRange = [ipaddr.IPv6.parse("2000::"), 3];
/** Azure's platform service: a public address that the host of a virtual machine answers. */
const azurePlatform: AddressRange = [ipaddr.IPv4.parse("168.63.129.16"), 32];

function isPublic(address: Address): boolean {
  // Ranges that wrap IPv4 addresses (NAT64, 6to4, Teredo) have names of their own, so none of them is "unicast".
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv6" ? isWithin(globalUnicast, address) : !isWithin(azurePlatform, address);
}
