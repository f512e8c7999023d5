import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { docsStart } from "./docs.ts";

interface System {
  readonly validatorUrl: unknown;
  readonly plugins: readonly (() => {
    readonly statePlugins?: {
      readonly spec: {
        readonly wrapActions: Record<string, (original: (document: object) => object) => typeof original>;
      };
    };
  })[];
}

test("the reference page sends requests to the server that it came from, and no other", () => {
  const started: System[] = [];
  const location = { origin: "http://localhost:8420" };
  runInNewContext(docsStart, { location, SwaggerUIBundle: (system: System) => started.push(system) });
  const [system] = started;
  expect(system?.validatorUrl).toBeNull();
  const update = system?.plugins.map((plugin) => plugin().statePlugins).find((state) => state !== undefined);
  const read = update?.spec.wrapActions["updateJsonSpec"]?.((document) => document);
  // Another name of the server is another origin, which the content security policy of the page refuses.
  expect(read?.({ openapi: "3.1.0", servers: [{ url: "http://127.0.0.1:8420" }] })).toEqual({
    openapi: "3.1.0",
    servers: [{ url: "http://localhost:8420" }],
  });
});
