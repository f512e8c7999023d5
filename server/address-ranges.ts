import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network and the length of its prefix in bits. */
export type AddressRange = readonly [base: Address, bits: number];

/** Parses an address or a range in CIDR notation; undefined if the text is neither. */
export function parseRange(entry: string): AddressRange | undefined {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  const address = parseAddress(entry);
  return address && [address, address.kind() === "ipv4" ? 32 : 128];
}

/** Parses an address; undefined if the text is none. An IPv4 address that is mapped into IPv6 is read as IPv4. */
export function parseAddress(text: string): Address | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

export function isWithin([base, bits]: AddressRange, address: Address): boolean {
  return base.kind() === address.kind() && address.match(base, bits);
}
