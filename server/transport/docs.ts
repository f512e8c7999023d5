import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Code } from "@connectrpc/connect";
import { docsStart } from "./docs-start.ts";
import { HttpError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";

/** Answers a request for the reference pages; false if the path is none of theirs. */
export type DocsHandler = (exchange: Exchange) => Promise<boolean>;

interface File {
  readonly contentType: string;
  read(): Promise<string | Buffer>;
}

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>drs: API reference</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  // The pictures of answers.
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** The interface for people, out of an installed package: no content network is asked, so it works offline. */
export function createDocsHandler(enter: (exchange: Exchange) => void): DocsHandler {
  const script = "text/javascript; charset=utf-8";
  const files: ReadonlyMap<string, File> = new Map([
    ["/docs", { contentType: "text/html; charset=utf-8", read: async () => page }],
    ["/docs/start.js", { contentType: script, read: async () => docsStart }],
    ["/docs/swagger-ui.css", { contentType: "text/css; charset=utf-8", read: () => packaged("swagger-ui.css") }],
    ["/docs/swagger-ui-bundle.js", { contentType: script, read: () => packaged("swagger-ui-bundle.js") }],
  ]);
  return async (exchange) => {
    const { path, request, response, record } = exchange;
    const file = files.get(path === "/docs/" ? "/docs" : path);
    if (file === undefined) return false;
    record.method = "GET /docs";
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw new HttpError(405, Code.Unimplemented, "this is read with GET or HEAD", { allow: "GET, HEAD, OPTIONS" });
    }
    enter(exchange);
    const body = await file.read();
    response.writeHead(200, {
      "content-type": file.contentType,
      "content-length": Buffer.byteLength(body),
      "content-security-policy": contentSecurityPolicy,
      "cache-control": "no-cache",
    });
    if (request.method === "HEAD") response.end();
    else response.end(body);
    return true;
  };
}

function packaged(name: string): Promise<Buffer> {
  return readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)));
}
