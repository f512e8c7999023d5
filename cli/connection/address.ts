import { usageError } from "../failures.ts";

/** The address of a server as it was written, without slashes at its end. Throws a usage error if it is none. */
export function serverAddress(text: string): string {
  const url = URL.parse(text);
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

/** The same port of this machine, by whichever of its names. */
export function isSameLoopback(one: string, other: string): boolean {
  const [first, second] = [URL.parse(one), URL.parse(other)];
  if (first === null || second === null) return false;
  return isLoopback(first.hostname) && isLoopback(second.hostname) && first.port === second.port;
}

/** Names and addresses of this machine; servers that listen on all of its addresses tell the unspecified one. */
export function isLoopback(host: string): boolean {
  return ["localhost", "[::1]", "[::]", "0.0.0.0"].includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host);
}
