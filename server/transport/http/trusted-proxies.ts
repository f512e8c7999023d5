import { isWithin, parseAddress, parseRange } from "../../address-ranges.ts";

/** Whether an address is one of these addresses and ranges (CIDR), which the settings have checked. */
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
