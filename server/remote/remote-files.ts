import { parse } from "content-disposition";
import { lookup as resolveHost } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { DomainError, invalid, tooLarge, unavailable } from "../domain/errors.ts";
import { addressFileName } from "../domain/names.ts";
import type { RemoteFile, RemoteFiles, RemoteLimits } from "../domain/ports/remote.ts";
import { checkedLookup, parseAddress, type Resolve } from "./address.ts";
import type { AllowedAddresses } from "./allowed-addresses.ts";
import { connectionFailure, statusFailure } from "./failures.ts";
import { follow, headerText } from "./follow.ts";
import { createTransferTimeouts, type TransferTimeouts } from "./timeouts.ts";

/** Fetches over http and https without ever connecting to an address that is not allowed. */
export function createRemoteFiles(
  allowed: AllowedAddresses,
  resolve: Resolve = (host) => resolveHost(host, { all: true }),
): RemoteFiles {
  const lookup = checkedLookup(allowed, resolve);

  async function open(address: string, limits: RemoteLimits, signal?: AbortSignal): Promise<RemoteFile> {
    let { host } = parseAddress(address, allowed);
    const timeouts = createTransferTimeouts(signal);
    const within = (ms: number, what: string) => () => unavailable(`${host} ${what} within ${ms / 1000} seconds`);
    const answered = timeouts.limit(limits.answerMs, within(limits.answerMs, "did not answer"));
    const finished = timeouts.limit(limits.totalMs, within(limits.totalMs, "did not send the whole file"));
    try {
      const onHop = (url: URL): void => void ({ host } = url);
      const { response, way } = await follow(address, { allowed, lookup, signal: timeouts.signal, onHop });
      answered();
      const size = checkHead(response, host, limits);
      const silent = within(limits.silenceMs, "sent nothing");
      return {
        fileName: remoteFileName(response.headers["content-disposition"], way),
        size,
        body: readPieces(response, { host, limits, timeouts, silent, finished }),
      };
    } catch (cause) {
      answered();
      finished();
      throw failureOf(cause, host, timeouts);
    }
  }

  return {
    open,
    parse: (address) => parseAddress(address, allowed),
    async fetch(address, { maxBytes, timeoutMs }, signal) {
      const limits = { maxBytes, answerMs: timeoutMs, silenceMs: timeoutMs, totalMs: timeoutMs };
      try {
        const { body } = await open(address, limits, signal);
        return Buffer.concat(await Array.fromAsync(body));
      } catch (cause) {
        // This caller waits for the file and does not retry by itself: only another URL can help.
        if (cause instanceof DomainError && cause.kind === "unavailable") throw invalid(cause.message, { cause });
        throw cause;
      }
    },
  };
}

/** The announced size. Throws, and closes the connection, if the answer does not contain the file. */
function checkHead(
  response: IncomingMessage,
  host: string,
  { maxBytes, checkSize }: Pick<RemoteLimits, "maxBytes" | "checkSize">,
): number | undefined {
  try {
    if (response.statusCode !== 200) throw statusFailure(host, response.statusCode);
    const encoding = response.headers["content-encoding"] ?? "identity";
    if (encoding !== "identity") {
      throw invalid(
        `${host} sends the file only in the encoding ${JSON.stringify(encoding.slice(0, 40))}; give another address`,
      );
    }
    const length = response.headers["content-length"];
    const size = length === undefined ? undefined : Number(length);
    if (size !== undefined && size > maxBytes) throw larger(host, maxBytes);
    if (size !== undefined) checkSize?.(size);
    return size;
  } catch (cause) {
    response.destroy();
    throw cause;
  }
}

interface ReadOptions {
  readonly host: string;
  readonly limits: RemoteLimits;
  readonly timeouts: TransferTimeouts;
  readonly silent: () => DomainError;
  /** Called at the end, whether it succeeds or fails. */
  readonly finished: () => void;
}

async function* readPieces(
  response: IncomingMessage,
  { host, limits, timeouts, silent, finished }: ReadOptions,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  let heard = timeouts.limit(limits.silenceMs, silent);
  try {
    for await (const piece of response) {
      // The time that the consumer takes for a piece does not count as the sender's silence.
      heard();
      if (!Buffer.isBuffer(piece)) continue;
      size += piece.length;
      if (size > limits.maxBytes) throw larger(host, limits.maxBytes);
      yield piece;
      heard = timeouts.limit(limits.silenceMs, silent);
    }
  } catch (cause) {
    throw failureOf(cause, host, timeouts);
  } finally {
    heard();
    finished();
    response.destroy();
  }
}

function failureOf(cause: unknown, host: string, { signal }: TransferTimeouts): unknown {
  return signal.aborted ? signal.reason : connectionFailure(host, cause);
}

const larger = (host: string, maxBytes: number): DomainError =>
  tooLarge(`${host} sends more than ${Math.round(maxBytes / 2 ** 20)} MB, the most that is accepted`);

/**
 * The name of a remote file: from `Content-Disposition` (RFC 6266), else from the last URL on the way that has a
 * name with an extension, because redirects often lead to a number. Empty if there is none. Not cleaned.
 */
export function remoteFileName(contentDisposition: string | undefined, way: readonly URL[]): string {
  const { parameters } = parse(headerText(contentDisposition ?? ""));
  const names = way.map(addressFileName);
  return parameters["filename"] || (names.findLast((name) => /.\.[a-z0-9]{1,5}$/i.test(name)) ?? names.at(-1) ?? "");
}
