import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { invalid } from "../domain/errors.ts";
import { parseAddress } from "./address.ts";
import type { AllowedAddresses } from "./allowed-addresses.ts";

const maxRedirects = 5;

/** An answer that is not a redirect. */
export interface Answer {
  readonly response: http.IncomingMessage;
  /** The URLs on the way to it, its own last. */
  readonly way: readonly URL[];
}

interface Options {
  readonly allowed: AllowedAddresses;
  readonly lookup: LookupFunction;
  readonly signal: AbortSignal;
  /** Called with every URL before it is connected to. */
  readonly onHop: (url: URL) => void;
  /**
   * Additional headers, by the URL that they are sent to, because secrets must not reach the targets of redirects.
   */
  readonly headers?: (url: URL) => http.OutgoingHttpHeaders;
}

/** Requests a URL and follows redirects itself, each checked like the first. */
export async function follow(address: string, { allowed, lookup, signal, onHop, headers }: Options): Promise<Answer> {
  const way: URL[] = [];
  for (let url = parseAddress(address, allowed); ;) {
    way.push(url);
    onHop(url);
    const response = await request(url, lookup, signal, headers?.(url));
    const location = redirectOf(response);
    if (location === undefined) return { response, way };
    response.destroy();
    if (way.length > maxRedirects) throw invalid(`${url.host} redirects more than ${maxRedirects} times`);
    url = nextAddress(url, location, allowed);
  }
}

/** The target of a redirect. Throws `invalid` if it may not be followed. */
export function nextAddress(from: URL, location: string, allowed: AllowedAddresses): URL {
  const next = parseAddress(URL.parse(location, from.href)?.href ?? location, allowed);
  // A caller that asks for https relies on TLS to hide the URL and to protect the file, all the way.
  if (from.protocol === "https:" && next.protocol === "http:") {
    throw invalid(`${from.host} redirects from https to http, which would give up the protection; use another address`);
  }
  return next;
}

/** Uses a separate connection for each request, closed after it; never a proxy from the environment. */
function request(
  url: URL,
  lookup: LookupFunction,
  signal: AbortSignal,
  more?: http.OutgoingHttpHeaders,
): Promise<http.IncomingMessage> {
  const client = url.protocol === "https:" ? https : http;
  // Bytes are stored as they come, so they must not be encoded.
  const headers = { "user-agent": "drs", accept: "*/*", "accept-encoding": "identity", ...more };
  return new Promise((resolve, reject) => {
    client.get(url, { lookup, signal, agent: false, headers }, resolve).on("error", reject);
  });
}

function redirectOf(response: http.IncomingMessage): string | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(response.statusCode ?? 0);
  return isRedirect && response.headers.location !== undefined ? headerText(response.headers.location) : undefined;
}

/** Decodes a header, which Node gives as Latin-1: valid UTF-8 is treated as UTF-8, whatever the standard says. */
export function headerText(header: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(header, "latin1"));
  } catch {
    return header;
  }
}
