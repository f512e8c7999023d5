#!/usr/bin/env node
// A plugin of buf: writes the REST face of the services as OpenAPI 3.1. It is a plugin because only the compiler's
// descriptors carry the comments.
import { createEcmaScriptPlugin, runNodeJs, type Schema } from "@bufbuild/protoplugin";
import { errorResponses, errorSchema } from "./openapi/errors.ts";
import { bindingOf, isRest, operation, tagOf } from "./openapi/operations.ts";
import { comment, createSchemas, heldBy, type Json } from "./openapi/schemas.ts";

runNodeJs(createEcmaScriptPlugin({ name: "protoc-gen-openapi", version: "v1", generateTs: generate }));

function generate(schema: Schema): void {
  const paths: Record<string, Json> = {};
  const services = schema.files.flatMap((file) => file.services).filter(({ methods }) => methods.some(isRest));
  const answered = new Set<string>();
  for (const { output } of services.flatMap(({ methods }) => methods)) heldBy(output, answered);
  const schemas = createSchemas(answered);
  for (const service of services) {
    for (const method of service.methods.filter(isRest)) {
      const { verb, path } = bindingOf(method);
      (paths[path] ??= {})[verb] = operation(method, path, schemas);
    }
  }
  const document = {
    openapi: "3.1.0",
    info: {
      title: "drs: document page retrieval",
      version: "v1",
      description:
        "Large documents in, pages out: by number or by meaning, as self-expiring links. A field or parameter that a request does not have is refused with 400; only share links pass over what they do not know.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    tags: services.map((service) => ({ name: tagOf(service.name), description: comment(service) })),
    paths,
    components: {
      schemas: { ...schemas.all(), Error: errorSchema },
      responses: errorResponses,
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "x-api-key",
          description: "API key of a workspace, or personal token of a member",
        },
        bearer: { type: "http", scheme: "bearer", description: "The same as Authorization: Bearer" },
      },
    },
    security: [{ apiKey: [] }, { bearer: [] }],
  };
  schema.generateFile("openapi.json").print(JSON.stringify(document, null, 2));
}
