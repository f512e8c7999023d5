import { lookup as resolveHost } from "node:dns";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { DomainError, invalid, tooLarge } from "../domain/errors.ts";
import type { RemoteFiles } from "../domain/ports/remote-files.ts";
import type { AllowedAddresses } from "./allowed-addresses.ts";

const maxRedirects = 5;

/**
 * Fetches over http and https without ever connecting to an address that is not allowed: the name is resolved once,
 * every address is checked, and the connection goes to the very address that was checked, so a name that resolves
 * differently the second time gains nothing. Redirects are followed by hand, each checked like the first.
 */
export function createRemoteFiles(allowed: AllowedAddresses): RemoteFiles {
  const lookup = checkedLookup(allowed);
  return {
    async fetch(address, { maxBytes, timeoutMs }, signal) {
      const deadline = AbortSignal.timeout(timeoutMs);
      const ended = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
      try {
        let url = parseAddress(address);
        for (let hop = 0; hop <= maxRedirects; hop++) {
          checkLiteral(url, allowed);
          const response = await request(url, lookup, ended);
          const location = redirectOf(response);
          if (location === undefined) return await readBody(response, url, maxBytes);
          response.destroy();
          url = parseAddress(URL.parse(location, url.href)?.href ?? location);
        }
        throw invalid(`${address} redirects more than ${maxRedirects} times`);
      } catch (cause) {
        if (signal?.aborted === true) throw signal.reason;
        if (deadline.aborted) throw invalid(`${address} did not answer within ${timeoutMs / 1000} seconds`);
        if (cause instanceof DomainError) throw cause;
        throw invalid(`${address} cannot be fetched: ${reasonOf(cause)}`, { cause });
      }
    },
  };
}

function parseAddress(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw invalid(`${JSON.stringify(text.slice(0, 200))} is not a URL`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw invalid(`only http and https addresses can be fetched, not ${url.protocol.replace(":", "")}`);
  }
  return url;
}

/** A literal address is connected to without a look-up, so it is checked here. URL has normalised its odd forms. */
function checkLiteral(url: URL, allowed: AllowedAddresses): void {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !allowed.allowsAddress(host)) throw notPublic(host);
}

function checkedLookup(allowed: AllowedAddresses): LookupFunction {
  return (host, options, done) => {
    resolveHost(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, []);
      const refused = allowed.allowsHost(host)
        ? undefined
        : addresses.find(({ address }) => !allowed.allowsAddress(address));
      if (refused !== undefined) return done(notPublic(host), []);
      if (options.all === true) return done(null, addresses);
      const [first] = addresses;
      return done(null, first?.address ?? "", first?.family ?? 4);
    });
  };
}

const notPublic = (host: string): DomainError =>
  invalid(`${host} is not a public address; the operator can allow it with --url-allow`);

function request(url: URL, lookup: LookupFunction, signal: AbortSignal): Promise<http.IncomingMessage> {
  const client = url.protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    client
      .get(url, { lookup, signal, agent: false, headers: { "user-agent": "drs", accept: "*/*" } }, resolve)
      .on("error", reject);
  });
}

function redirectOf(response: http.IncomingMessage): string | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(response.statusCode ?? 0);
  return isRedirect ? response.headers.location : undefined;
}

async function readBody(response: http.IncomingMessage, url: URL, maxBytes: number): Promise<Uint8Array> {
  if (response.statusCode !== 200) {
    response.destroy();
    throw invalid(`${url.origin} answered ${response.statusCode} instead of the file`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    // Leaving the loop destroys the response.
    if (size > maxBytes) throw tooLarge(`${url.origin} sends more than ${Math.round(maxBytes / 2 ** 20)} MB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause ? String(cause.code) : "";
  const known: Record<string, string> = {
    ENOTFOUND: "the host name is not known",
    EAI_AGAIN: "the host name cannot be resolved now",
    ECONNREFUSED: "the connection was refused",
    ECONNRESET: "the connection was lost",
  };
  return known[code] ?? cause.message;
}
