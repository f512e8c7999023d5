import { usageError } from "../failures.ts";

/**
 * Returns the address of a server without trailing slashes. The scheme can be left out for this machine; for other
 * machines it is required, so that no key is sent without TLS by mistake. Throws a usage error if the text is not an
 * address.
 */
export function serverAddress(text: string): string {
  const bare = text.includes("://") ? null : URL.parse(`http://${text}`);
  if (bare !== null && !isLoopback(bare.hostname)) {
    throw usageError(`"${text}" does not say how to reach the server`, `write https://${text}, or http:// without TLS`);
  }
  const url = bare ?? URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageError(`"${text}" is not the address of a server`, "write it like http://127.0.0.1:8420");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw usageError(
      `the address of the server ${url.host} has more in it than scheme, host, port and path`,
      "leave out user, password, query and fragment; the key goes into --api-key or DRS_API_KEY",
    );
  }
  return url.href.replace(/\/+$/, "");
}

export function isSameOrigin(one: string, other: string): boolean {
  const [first, second] = [URL.parse(one), URL.parse(other)];
  return first !== null && second !== null && first.origin === second.origin;
}

/**
 * Returns whether an address that a user has typed reaches the server at its listening address. It does if both are
 * the same, if the user typed localhost and the server listens on the loopback, or if the user typed a loopback address
 * and the server listens on all addresses of that kind. Another address of this machine with the same port may belong
 * to another program.
 */
export function meansServer(typed: string, listening: string): boolean {
  const [wanted, server] = [URL.parse(typed), URL.parse(listening)];
  if (wanted === null || server === null) return false;
  if (wanted.origin === server.origin) return true;
  if (wanted.protocol !== server.protocol || wanted.port !== server.port) return false;
  const { hostname } = wanted;
  switch (server.hostname) {
    case "0.0.0.0":
      return hostname === "localhost" || isLoopback4(hostname);
    case "[::]":
      return isLoopback(hostname);
    default:
      return hostname === "localhost" && isLoopback(server.hostname);
  }
}

/** Returns whether the host is this machine. Servers that listen on all of its addresses report 0.0.0.0 or [::]. */
export function isLoopback(host: string): boolean {
  return ["localhost", "[::1]", "[::]", "0.0.0.0"].includes(host) || isLoopback4(host);
}

const isLoopback4 = (host: string): boolean => /^127\.\d+\.\d+\.\d+$/.test(host);
