import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Handler, reading } from "../dispatch.ts";
import type { Exchange } from "../http/exchange.ts";

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
  // Images in answers.
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** Serves the reference of the API for people, from an installed package; it uses no CDN, so it works offline. */
export function createDocs(enter: (exchange: Exchange) => void): ReadonlyMap<string, Handler> {
  const script = "text/javascript; charset=utf-8";
  const html = answering({ contentType: "text/html; charset=utf-8", read: async () => page }, enter);
  return new Map([
    ["/docs", html],
    ["/docs/", html],
    ["/docs/start.js", answering({ contentType: script, read: async () => docsStart }, enter)],
    ["/docs/swagger-ui.css", answering(packaged("swagger-ui.css", "text/css; charset=utf-8"), enter)],
    ["/docs/swagger-ui-bundle.js", answering(packaged("swagger-ui-bundle.js", script), enter)],
  ]);
}

/** Answers at the root of a server without a console. */
export const toDocs = reading("/", async ({ response }) => {
  response.writeHead(302, { location: "/docs" });
  response.end();
});

function answering({ contentType, read }: File, enter: (exchange: Exchange) => void): Handler {
  return reading("/docs", async (exchange) => {
    const { request, response } = exchange;
    enter(exchange);
    const body = await read();
    response.writeHead(200, {
      "content-type": contentType,
      "content-length": Buffer.byteLength(body),
      "content-security-policy": contentSecurityPolicy,
      "cache-control": "no-cache",
    });
    if (request.method === "HEAD") response.end();
    else response.end(body);
  });
}

function packaged(name: string, contentType: string): File {
  return { contentType, read: () => readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))) };
}

/**
 * The script of the reference page, as sent to the browser.
 * - Requests go to the origin that the page came from: the browser would refuse requests to another name of the server.
 * - Optional fields of a form start empty, and empty fields are left out: an upload takes either `file` or `url`.
 * - There is no validator badge, which would contact a server on the internet.
 */
export const docsStart = `const ownServer = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (document) => update({ ...document, servers: [{ url: location.origin }] }),
      },
    },
  },
});

const emptyForms = () => ({
  wrapComponents: {
    JsonSchemaForm: (Original, { React }) =>
      function FormField(props) {
        const { dispatchInitialValue, required, schema, onChange } = props;
        React.useEffect(() => {
          if (dispatchInitialValue && !required) onChange(schema.get("type") === "array" ? [] : "");
        }, []);
        return React.createElement(Original, { ...props, dispatchInitialValue: dispatchInitialValue && required });
      },
    ParameterIncludeEmpty: () => () => null,
  },
});

SwaggerUIBundle({
  url: "/v1/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  plugins: [ownServer, emptyForms],
});
`;
