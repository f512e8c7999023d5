import { lookup as resolveHost } from "node:dns/promises";
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { unavailable } from "../domain/errors.ts";
import type { Message, PostAnswer, Posts } from "../domain/ports/remote.ts";
import { checkedLookup, parseAddress, type Resolve } from "./address.ts";
import type { AllowedAddresses } from "./allowed-addresses.ts";
import { connectionFailure } from "./failures.ts";
import { createTransferTimeouts } from "./timeouts.ts";

/** Posts over http and https without ever connecting to an address that is not allowed. */
export function createPosts(
  allowed: AllowedAddresses,
  resolve: Resolve = (host) => resolveHost(host, { all: true }),
): Posts {
  const lookup = checkedLookup(allowed, resolve);
  return {
    parse: (address) => parseAddress(address, allowed),
    async post(address, message, timeoutMs, signal) {
      const url = parseAddress(address, allowed);
      const timeouts = createTransferTimeouts(signal);
      const answered = timeouts.limit(timeoutMs, () =>
        unavailable(`${url.host} did not answer within ${timeoutMs / 1000} seconds`),
      );
      try {
        return await send(url, message, { lookup, signal: timeouts.signal });
      } catch (cause) {
        throw timeouts.signal.aborted ? timeouts.signal.reason : connectionFailure(url.host, cause);
      } finally {
        answered();
      }
    },
  };
}

/** Uses a separate connection, closed after the headers of the answer: its body is not read. Never uses a proxy. */
function send(
  url: URL,
  { headers, body }: Message,
  { lookup, signal }: { readonly lookup: LookupFunction; readonly signal: AbortSignal },
): Promise<PostAnswer> {
  const client = url.protocol === "https:" ? https : http;
  const more = { "user-agent": "drs", "content-length": Buffer.byteLength(body) };
  const options = { method: "POST", lookup, signal, agent: false, headers: { ...headers, ...more } };
  return new Promise((resolve, reject) => {
    const request = client.request(url, options, (response) => {
      const { statusCode = 0, headers: answered } = response;
      resolve({ status: statusCode, retryAfterMs: retryAfterMs(answered["retry-after"], Date.now()) });
      response.destroy();
    });
    // After the headers of the answer, rejecting has no effect.
    request.on("error", reject);
    request.end(body);
  });
}

/** `Retry-After` as seconds or as a date (RFC 9110 10.2.3); undefined if it is neither, or is over. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
