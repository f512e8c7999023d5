import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import { type DomainError, invalid } from "../domain/errors.ts";
import { type AllowedAddresses, plainHost } from "./allowed-addresses.ts";

/** The maximum length of a URL in the contract. */
const maxLength = 8192;

/** Maximum length of a DNS name (RFC 1035 3.1), as text. */
const maxHostLength = 254;

/** The web's own ports; other well-known ones belong to mail, files, remote shells and the like. */
const webPorts: readonly string[] = ["", "80", "443"];
const firstFreePort = 1024;

/**
 * Parses a URL from a caller or a redirect. The checked form is the one that will be connected to: `URL` has
 * normalised decimal, octal, hexadecimal, short and full-width forms of IP addresses. Throws `invalid` with a
 * sentence that repeats no more than the host.
 */
export function parseAddress(text: string, allowed: AllowedAddresses): URL {
  if (text.length > maxLength) throw invalid(`the address is longer than ${maxLength} characters`);
  const url = /\p{Cc}/u.test(text) ? null : URL.parse(text);
  if (url === null) throw invalid("the address is not a URL; write it out, beginning with https:// or http://");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw invalid(`only http and https addresses can be fetched, not ${url.protocol.replace(":", "")}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid("the address has a user name or password in it; give one that can be read without");
  }
  if (!webPorts.includes(url.port) && Number(url.port) < firstFreePort) {
    throw invalid(`port ${url.port} is not one that files are fetched from; use 80, 443, or one from ${firstFreePort}`);
  }
  if (url.hostname.length > maxHostLength) throw invalid("the address has a host name that is too long to exist");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // A literal address is connected to without a look-up, which would check it.
  if (isIP(host) !== 0 && !allowed.allowsAddress(host)) throw notPublic(host);
  if (isLoopbackName(host) && !allowsLoopback(host, allowed)) throw notPublic(host);
  return url;
}

const notPublic = (host: string): DomainError =>
  invalid(`${host} is not a public address; the operator can allow it with --url-allow`);

/** Names that resolve to this machine whatever a resolver says (RFC 6761 6.3). */
function isLoopbackName(host: string): boolean {
  return /(^|\.)localhost$/.test(plainHost(host));
}

function allowsLoopback(host: string, allowed: AllowedAddresses): boolean {
  return allowed.allowsHost(host) || ["127.0.0.1", "::1"].some((address) => allowed.allowsAddress(address));
}

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
