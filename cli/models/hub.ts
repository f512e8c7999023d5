import { lookup as resolveHost } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { checkedLookup, connectionFailure, createAllowedAddresses, DomainError, follow } from "@drs/server/remote";
import { CliError } from "../failures.ts";
import type { CommandIo } from "../command-io.ts";

/** The site that models are downloaded from. */
export interface Hub {
  fileUrl(repository: string, revision: string, path: string): string;
  /** Reads a small text such as a manifest. */
  readText(url: string, signal: AbortSignal): Promise<string>;
  /**
   * Requests a file, or the part after its first `after.bytes` if the file still has that entity tag. The status of the
   * response is 200 (the whole file) or 206 (the rest). Throws `Passing` for failures that may pass.
   */
  open(url: string, after: { bytes: number; etag: string } | undefined, signal: AbortSignal): Promise<IncomingMessage>;
}

/** A failure that may pass by itself. */
export class Passing extends Error {
  override readonly name = "Passing";
}

const hubVariable = "DRS_HUB_URL";
const tokenVariable = "DRS_HUB_TOKEN";
const defaultHub = "https://huggingface.co";

const maxTextBytes = 4 * 2 ** 20;
/** Maximum wait for a response and maximum pause in it, milliseconds. */
const silenceMs = 60_000;

/** Opens the hub. `urlAllow`: hosts and addresses that may be used although they are not public, or without TLS. */
export function openHub({ env }: Pick<CommandIo, "env">, urlAllow: readonly string[]): Hub {
  const base = (env[hubVariable] || defaultHub).replace(/\/+$/, "");
  const token = env[tokenVariable] || undefined;
  const allowed = createAllowedAddresses(urlAllow);
  const lookup = checkedLookup(allowed, (host) => resolveHost(host, { all: true }));
  const isHub = (url: URL): boolean => url.origin === URL.parse(base)?.origin;

  async function open(
    address: string,
    after: { bytes: number; etag: string } | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    let { host } = URL.parse(address) ?? { host: "the address" };
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new Passing(`${host} does not answer`)), silenceMs);
    try {
      const { response } = await follow(address, {
        allowed,
        lookup,
        signal: AbortSignal.any([signal, silence.signal]),
        onHop(url) {
          ({ host } = url);
          refuseUnprotected(url);
        },
        headers: (url) => ({
          ...(token !== undefined && isHub(url) && { authorization: `Bearer ${token}` }),
          ...(after !== undefined && { range: `bytes=${after.bytes}-`, "if-range": after.etag }),
        }),
      });
      const { statusCode = 0 } = response;
      if (statusCode === 200 || (statusCode === 206 && after !== undefined)) return guarded(response, host);
      response.destroy();
      throw refusal(statusCode, address, host);
    } catch (cause) {
      signal.throwIfAborted();
      throw silence.signal.aborted ? silence.signal.reason : failureOf(cause, host);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Rejects addresses without TLS: the manifest decides about everything else, so it must not be changed in transit.
   */
  function refuseUnprotected(url: URL): void {
    const explicit = url.hostname.replace(/^\[|\]$/g, "");
    if (url.protocol === "https:" || isNamed(explicit)) return;
    throw new CliError(`${url.host} would be accessed without TLS`, {
      next: "use an https address, or add the host to DRS_URL_ALLOW to allow it",
    });
  }

  const publicAlone = createAllowedAddresses([]);
  const isNamed = (host: string): boolean =>
    allowed.allowsHost(host) || (allowed.allowsAddress(host) && !publicAlone.allowsAddress(host));

  return {
    fileUrl(repository, revision, path) {
      const parts = [...repository.split("/"), "resolve", revision, ...path.split("/")];
      return `${base}/${parts.map(encodeURIComponent).join("/")}`;
    },
    open,
    async readText(url, signal) {
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of await open(url, undefined, signal)) {
        const bytes = Buffer.from(chunk);
        size += bytes.length;
        if (size > maxTextBytes) throw new CliError(`${url} is larger than any manifest of a model pack`);
        chunks.push(bytes);
      }
      return Buffer.concat(chunks).toString("utf8");
    },
  };
}

/** Ends a response that stalls. */
function guarded(response: IncomingMessage, host: string): IncomingMessage {
  response.setTimeout(silenceMs, () => response.destroy(new Passing(`${host} stopped sending`)));
  return response;
}

function refusal(status: number, address: string, host: string): Error {
  if (status === 408 || status === 429 || status >= 500) return new Passing(`${host} answered ${status}`);
  if (status === 401 || status === 403) {
    return new CliError(`${host} does not allow access to ${address} (${status})`, {
      next: `check the name; if the model requires consent, give it there, create a token and set ${tokenVariable}`,
    });
  }
  if (status === 404) return new CliError(`there is no ${address} (404)`, { next: "check the name and the revision" });
  return new CliError(`${host} answered ${status} instead of ${address}`);
}

/** Classifies a failure of the connection as one that may pass or one that does not. */
export function failureOf(cause: unknown, host: string): unknown {
  if (cause instanceof CliError || cause instanceof Passing) return cause;
  const failure = connectionFailure(host, cause);
  return failure instanceof DomainError && failure.kind === "unavailable"
    ? new Passing(failure.message, { cause })
    : new CliError(failure.message);
}
