import { createHash } from "node:crypto";
import { notFound } from "../../domain/errors.ts";
import { type Handler, reading } from "../dispatch.ts";
import { evaluateConditions } from "../http/conditions.ts";
import type { Exchange } from "../http/exchange.ts";

/** A file of the console. */
export interface ConsoleFile {
  /** Contains a hash of the content, except for `index.html`, in which `BASE` stands for the path of the server. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly gzip: Uint8Array;
  readonly brotli: Uint8Array;
}

/** Reads all files of the console; called for each request. */
export type ReadConsole = () => Promise<readonly ConsoleFile[]>;

/** The console's part of the dispatch table. */
export interface ConsoleEndpoints {
  readonly exact: ReadonlyMap<string, Handler>;
  readonly prefixes: readonly (readonly [prefix: string, handler: Handler])[];
}

/** Paths of the console's views, all served by one page; a path with a trailing slash has views below it. */
const views = [
  "/",
  "/search",
  "/documents",
  "/documents/",
  "/upload",
  "/admin",
  "/admin/",
  "/account",
  "/join",
  "/device",
  "/design",
];
const assetPrefix = "/console/";
const yearSeconds = 31_536_000;

/**
 * Allows no script, style or request of another origin, nothing inline, and no text as script. Images may also be those
 * that a person has chosen, before they are uploaded.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const contentTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  pdf: "application/pdf",
};

/** Serves the web console: one page for all its views, and its scripts and styles. */
export function createConsole(read: ReadConsole, enter: (exchange: Exchange) => void): ConsoleEndpoints {
  const page = reading("/", async (exchange) => {
    enter(exchange);
    const file = (await read()).find(({ name }) => name === "index.html");
    if (file === undefined) throw new Error("the console has no page");
    const { pathname } = new URL(`${exchange.record.baseUrl}/`);
    const body = Buffer.from(Buffer.from(file.bytes).toString().replace("BASE", attribute(pathname)));
    send(exchange, { name: file.name, body, cacheControl: "no-cache" });
  });
  const asset = reading(assetPrefix, async (exchange) => {
    enter(exchange);
    const wanted = exchange.path.slice(assetPrefix.length);
    const file = (await read()).find(({ name }) => name === wanted && name !== "index.html");
    if (file === undefined) throw notFound("the console has no such file; load its page again");
    const [encoding, body] = encoded(file, exchange);
    const cacheControl = `public, max-age=${yearSeconds}, immutable`;
    send(exchange, { name: file.name, body, encoding, cacheControl });
  });
  return {
    exact: new Map(views.filter((path) => path === "/" || !path.endsWith("/")).map((path) => [path, page])),
    prefixes: [
      [assetPrefix, asset],
      ...views.filter((path) => path !== "/" && path.endsWith("/")).map((path) => [path, page] as const),
    ],
  };
}

interface Reply {
  readonly name: string;
  readonly body: Uint8Array;
  readonly encoding?: "br" | "gzip" | undefined;
  readonly cacheControl: string;
}

function send({ request, response }: Exchange, { name, body, encoding, cacheControl }: Reply): void {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  const headers = {
    "content-type": contentTypes[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    "content-security-policy": contentSecurityPolicy,
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": cacheControl,
    vary: "accept-encoding",
    etag,
  };
  // Unlike the API, the console is not for other sites.
  for (const name of ["access-control-allow-origin", "access-control-expose-headers"]) response.removeHeader(name);
  if (evaluateConditions(request.headers, { etag, modifiedAt: Number.MAX_SAFE_INTEGER }) === "not_modified") {
    response.writeHead(304, headers);
    response.end();
    return;
  }
  const encodedAs = encoding === undefined ? {} : { "content-encoding": encoding };
  response.writeHead(200, { ...headers, ...encodedAs, "content-length": body.byteLength });
  if (request.method === "HEAD") response.end();
  else response.end(body);
}

function encoded(file: ConsoleFile, { request }: Exchange): ["br" | "gzip" | undefined, Uint8Array] {
  const accepted = new Set(
    (request.headers["accept-encoding"] ?? "")
      .split(",")
      .filter((item) => !/;\s*q=0(?:\.0*)?\s*$/.test(item))
      .map((item) => (item.split(";", 1)[0] ?? "").trim().toLowerCase()),
  );
  if (accepted.has("br")) return ["br", file.brotli];
  return accepted.has("gzip") ? ["gzip", file.gzip] : [undefined, file.bytes];
}

const attribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
