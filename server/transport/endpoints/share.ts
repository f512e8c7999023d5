import { Code } from "@connectrpc/connect";
import { ShareService } from "@drs/client/gen/drs/v1/shares_pb";
import { DomainError, invalid } from "../../domain/errors.ts";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { SharedContent } from "../../domain/shares/rendition.ts";
import { nearestName, shownName } from "../../settings/spelling.ts";
import type { Admission } from "../limits/admission.ts";
import type { Handler } from "../dispatch.ts";
import { evaluateConditions, rangeStillFits, parseRange } from "../http/conditions.ts";
import { HttpError } from "../errors.ts";
import type { Exchange, RequestRecord } from "../http/exchange.ts";
import { countFailedAttempt, type Rates } from "../limits/rates.ts";
import { type ReplyHeaders, sendBody } from "../http/reply.ts";
import { preferred } from "../rest/accept.ts";

/** Finds the content of a link. Throws `forbidden`, always with the same message, for an invalid link. */
export type OpenShare = (
  input: {
    readonly id: string;
    readonly token: string;
    readonly embedding: "json" | "binary";
    /** Width of a picture in pixels. */
    readonly width: number | undefined;
    /** Called with the link's workspace once the link has proved valid, before any expensive work. */
    readonly admit: (workspaceId: WorkspaceId) => void;
  },
  signal: AbortSignal,
) => Promise<SharedContent>;

/** Prefix of the paths of share links. */
export const sharePrefix = "/v1/share/";
/** Browsers may show a page again without a request, but hardly longer than its link is valid. */
const maxAgeSeconds = 60;

interface Options {
  readonly openShare: OpenShare;
  readonly hardStop: AbortSignal;
  readonly admission: Admission;
  readonly networkOf: (record: RequestRecord) => string | undefined;
  readonly rates: Rates | undefined;
  readonly delivery: ShareDelivery;
}

/** How the bytes behind a link reach readers: through drs, or by a redirect to the store if it issues addresses. */
export type ShareDelivery = "stream" | "redirect";

/** Answers requests for the bytes behind share links. */
export function createShareHandler(options: Options): Handler {
  const { openShare, hardStop, admission, networkOf, rates, delivery } = options;
  const method = `${ShareService.typeName}/${ShareService.method.readShare.name}`;
  return async (exchange) => {
    const { request, path, query, record } = exchange;
    record.protocol = "rest";
    record.method = method;
    record.route = `${sharePrefix}{id}`;
    if (request.method !== "GET" && request.method !== "HEAD") {
      const allow = "GET, HEAD, OPTIONS";
      throw new HttpError(405, Code.Unimplemented, "a share link is read with GET or HEAD", { allow });
    }
    checkQuery(query);
    const types = ["application/json", "application/octet-stream"] as const;
    const isBinary = preferred(request.headers.accept, types) === "application/octet-stream";
    const signal = AbortSignal.any([exchange.signal, hardStop]);
    const id = path.slice(sharePrefix.length);
    const admitted = admission.enter("share", { address: networkOf(record) });
    record.hold(admitted);
    const input = {
      id,
      token: query.get("token") ?? "",
      embedding: isBinary ? ("binary" as const) : ("json" as const),
      width: widthOf(query.get("width")),
      // Only requests with a valid token count for the link: others must not use up the share of its readers.
      admit: (workspace: WorkspaceId) => admitted.count({ link: id, workspace }),
    };
    const content = await openShare(input, signal).catch(async (cause: unknown) => {
      // A client that does not read its refusal must not occupy a place that counts for nobody.
      admitted.leave();
      // A wrong token counts as a failed attempt, like a wrong key.
      if (cause instanceof DomainError && cause.kind === "forbidden") await countFailedAttempt(exchange, rates);
      throw cause;
    });
    await send({ ...exchange, signal }, content, delivery).catch((cause: unknown) => {
      // Report the shutdown, not the write that it interrupted.
      throw hardStop.aborted ? hardStop.reason : cause;
    });
  };
}

/** Parameters that callers may expect a link to take. */
const linkParameters = ["token", "width", "expiresInSeconds"];

/**
 * Mail programs, messengers and analytics add parameters of their own to links (utm_source, fbclid), which are ignored.
 * Only a parameter that was probably intended for drs, but has no effect, is refused.
 */
function checkQuery(query: URLSearchParams): void {
  for (const name of query.keys()) {
    const meant = name === "token" || name === "width" ? undefined : nearestName(name, linkParameters);
    if (meant === "token" || meant === "width") {
      throw invalid(`${shownName(name)} is not a parameter of a link; did you mean ${meant}?`);
    }
    if (meant !== undefined) {
      throw invalid(`${shownName(name)} is not a parameter of a link; its lifetime is set where the link is asked for`);
    }
  }
  for (const name of ["token", "width"]) {
    if (query.getAll(name).length > 1) throw invalid(`${name} is given twice`);
  }
}

/** The width; NaN, which no picture has, if the text is not a whole number. */
function widthOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  return /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
}

async function send(exchange: Exchange, content: SharedContent, delivery: ShareDelivery): Promise<void> {
  const { request, response } = exchange;
  const validators = { etag: `"${content.etag}"`, modifiedAt: content.modifiedAt };
  const condition = evaluateConditions(request.headers, validators);
  if (condition === "precondition_failed") {
    throw new HttpError(412, Code.FailedPrecondition, "the content is no longer what the request is about");
  }
  const headers = headersOf(content, validators.etag);
  if (condition === "not_modified") {
    response.writeHead(304, headers);
    response.end();
    return;
  }
  const disposition = contentDisposition(content.fileName);
  if (delivery === "redirect" && mayRedirect(request) && content.presign !== undefined) {
    const location = await content.presign(disposition);
    // Not cached: the next reader needs another address.
    response.writeHead(307, { location, "cache-control": "no-store", "content-length": 0 });
    response.end();
    return;
  }
  const isPartial = request.method === "GET" && rangeStillFits(request.headers["if-range"], validators);
  const range = isPartial ? parseRange(request.headers.range, content.size) : "whole";
  if (range === "unsatisfiable") {
    throw new HttpError(416, Code.OutOfRange, `the content has ${content.size} bytes; ask for a range of them`, {
      "content-range": `bytes */${content.size}`,
    });
  }
  const part = range === "whole" ? undefined : range;
  const length = part === undefined ? content.size : part.end - part.start + 1;
  const body = request.method === "HEAD" ? empty() : await content.open(part);
  response.writeHead(part === undefined ? 200 : 206, {
    ...headers,
    "content-type": content.contentType,
    "content-length": length,
    "content-disposition": disposition,
    ...(part === undefined ? {} : { "content-range": `bytes ${part.start}-${part.end}/${content.size}` }),
  });
  await sendBody(exchange, body);
}

/**
 * Whether a request may be redirected to the store. Addresses of the store are for GET only. Clients repeat their
 * conditions there, where the etags and times of drs are unknown, so requests with conditions that would fail there are
 * answered here. So are requests of pages of this server, whose content security policy allows no other origin.
 */
function mayRedirect({ method, headers }: Exchange["request"]): boolean {
  const isConditional = headers["if-match"] !== undefined || headers["if-unmodified-since"] !== undefined;
  return method === "GET" && !isConditional && headers["sec-fetch-site"] !== "same-origin";
}

function headersOf({ contentType, modifiedAt }: SharedContent, etag: string): ReplyHeaders {
  return {
    etag,
    "last-modified": new Date(modifiedAt).toUTCString(),
    "accept-ranges": "bytes",
    "cache-control": `private, max-age=${maxAgeSeconds}`,
    vary: "accept",
    // Uploaded content must not run scripts. Browsers refuse to show a PDF in a sandbox; their viewers have one of
    // their own.
    "content-security-policy":
      contentType === "application/pdf"
        ? "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"
        : "default-src 'none'; sandbox",
  };
}

/**
 * The Content-Disposition to show content inline and save it under its name: ASCII for old clients, UTF-8 for all
 * others (RFC 6266, RFC 8187).
 */
export function contentDisposition(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]/g, "_").replace(/["\\%]/g, "_");
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `inline; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

async function* empty(): AsyncGenerator<Uint8Array> {}
