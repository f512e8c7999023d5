import type { HttpAnswer, HttpRequest } from "../wire/http.ts";
import { codeOf, type Protocol, wordsOf } from "../wire/calls.ts";

/** Texts that no answer may contain: stacks, files of the machine, internal names. */
const internals: readonly RegExp[] = [
  /\bat (?:async )?\S+ \((?:file:|node:|\/)/,
  /node:internal|node_modules|file:\/\/\/(?!etc\/passwd)/,
  /\.[cm]?[jt]s:\d+/,
  /SQLITE|sqlite|kysely|\blance\b|piscina|pdfium|ENOENT|EACCES/i,
  /(?:Type|Range|Reference|URI)Error|Cannot read propert|is not a function|is not iterable|\[object Object\]/,
];

/** Returns the problem of an answer; undefined if there is none. `secrets` are texts that only the machine knows. */
export function faultOf(request: HttpRequest, answer: HttpAnswer, secrets: readonly string[]): string | undefined {
  const { status } = answer;
  const text = textOf(answer);
  const isOurs = /^(?:5\d\d|INTERNAL|UNKNOWN|DATA_LOSS|no grpc-status)$/;
  const code = codeOf(protocolOf(request, answer), answer);
  const isExcused = excuses.some((excuse) => excuse(status, code, wordsOf(answer)));
  if (!isExcused && (status >= 500 || isOurs.test(code))) return `${status} ${code}`;
  return shownInternals(text, secrets);
}

/** Returns an internal detail in a text; undefined if there is none. */
export function shownInternals(text: string, secrets: readonly string[]): string | undefined {
  for (const pattern of internals) {
    const found = pattern.exec(text);
    if (found !== null) return `shows ${JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 90))}`;
  }
  const secret = secrets.find((candidate) => text.includes(candidate));
  return secret === undefined ? undefined : `shows ${secret}`;
}

/**
 * Answers with a status of 500 and above that the client causes, each as the protocol's own specification or library
 * wants it.
 */
const excuses: readonly ((status: number, code: string, words: string) => boolean)[] = [
  (status) => status === 503,
  // Connect's statuses for `unimplemented` (an unknown encoding) and `deadline_exceeded` (a client that gives
  // its call no time).
  (_, code) => code === "UNIMPLEMENTED" || code === "DEADLINE_EXCEEDED",
  // The library's word for a single message that is no protobuf, or cut off within its compression.
  (_, code, words) => code === "INTERNAL" && /parse binary: |decompression failed/.test(words),
  // As gRPC wants it: a message says that it is compressed, the call does not say how.
  (_, code, words) => code === "INTERNAL" && /received compressed envelope, but/.test(words),
];

function protocolOf({ path }: HttpRequest, { headers }: HttpAnswer): Protocol {
  const type = headers["content-type"] ?? "";
  if (type.startsWith("application/grpc-web")) return "gRPC-Web";
  if (type.startsWith("application/grpc")) return "gRPC";
  return /^\/[\w.]+\/\w+/.test(path) && !path.startsWith("/v1") ? "Connect" : "REST";
}

/** The body as its reader sees it, with what the headers say. Packaged pages are as their authors wrote them. */
function textOf({ headers, trailers, body }: HttpAnswer): string {
  const isPackaged = /^text\/(?:css|javascript|html)/.test(headers["content-type"] ?? "");
  return `${JSON.stringify([headers, trailers])} ${isPackaged ? "" : body.toString("latin1")}`;
}
