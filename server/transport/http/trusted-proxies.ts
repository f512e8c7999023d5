import ipaddr from "ipaddr.js";

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Whether an address is one of these addresses and ranges (CIDR). */
export function createTrust(entries: readonly string[]): (address: string) => boolean {
  const ranges = entries.map(rangeOf);
  return (text) => {
    if (!ipaddr.isValid(text)) return false;
    // An IPv4 address in IPv6 clothes is judged as what it is.
    const address = ipaddr.process(text);
    return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
  };
}

function rangeOf(entry: string): Range {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  const address = ipaddr.process(entry);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}
