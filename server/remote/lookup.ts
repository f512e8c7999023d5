import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { callbackify } from "node:util";
import { notPublic } from "./address.ts";
import type { AllowedAddresses } from "./allowed-addresses.ts";

/** Returns all addresses of a host name. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/**
 * Creates the look-up of a connection: the name is resolved once, every address is checked, and the connection goes
 * to one of the checked addresses. A name that resolves differently the next time gains nothing.
 */
export function checkedLookup(allowed: AllowedAddresses, resolve: Resolve): LookupFunction {
  const check = callbackify(async (host: string): Promise<LookupAddress[]> => {
    const addresses = await resolve(host);
    const isForbidden = ({ address }: LookupAddress): boolean => !allowed.allowsAddress(address);
    if (!allowed.allowsHost(host) && addresses.some(isForbidden)) throw notPublic(host);
    return addresses;
  });
  return (host, { all }, done) => {
    check(host, (error, addresses) => {
      if (error !== null) return done(error, []);
      if (all === true) return done(null, addresses);
      const [first] = addresses;
      return done(null, first?.address ?? "", first?.family ?? 4);
    });
  };
}
