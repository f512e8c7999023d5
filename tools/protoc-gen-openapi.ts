#!/usr/bin/env node
// A plugin of buf that writes the REST interface as OpenAPI 3.1. It is a plugin because only the compiler's descriptors contain
// the comments.
import { createEcmaScriptPlugin, runNodeJs, type Schema } from "@bufbuild/protoplugin";
import { errorResponses, errorSchema } from "./openapi/errors.ts";
import { guide } from "./openapi/sections.ts";
import { bindingOf, isRest, operation } from "./openapi/operations.ts";
import { createSchemas, heldBy } from "./openapi/schemas.ts";
import type { Json } from "./openapi/rules.ts";
import { placeOf, sections } from "./openapi/sections.ts";
import { shareSchemas } from "./openapi/answers.ts";

runNodeJs(createEcmaScriptPlugin({ name: "protoc-gen-openapi", version: "v1", generateTs: generate }));

function generate(schema: Schema): void {
  const methods = schema.files
    .flatMap(({ services }) => services)
    .flatMap((service) => service.methods.filter(isRest))
    .toSorted((one, other) => placeOf(one).place - placeOf(other).place);
  const answered = new Set<string>();
  const asked = new Set<string>();
  for (const { input, output } of methods) {
    heldBy(output, answered);
    heldBy(input, asked);
  }
  const schemas = createSchemas({ answered, asked });
  const paths: Record<string, Json> = {};
  for (const method of methods) {
    const { verb, path } = bindingOf(method);
    (paths[path] ??= {})[verb] = operation(method, path, schemas);
  }
  const document = {
    openapi: "3.1.0",
    info: {
      title: "drs: document page retrieval",
      version: "v1",
      description: guide,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    tags: sections.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: { ...schemas.all(), ...shareSchemas, Error: errorSchema },
      responses: errorResponses,
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "x-api-key",
          description: "API key of a workspace, or personal token of a member.",
        },
        bearer: { type: "http", scheme: "bearer", description: "The same key or token as Authorization: Bearer." },
      },
    },
    security: [{ apiKey: [] }, { bearer: [] }],
  };
  schema.generateFile("openapi.json").print(JSON.stringify(document, null, 2));
}
