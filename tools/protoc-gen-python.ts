#!/usr/bin/env node
// A plugin of buf that writes, for the Python client, messages as frozen dataclasses, a table of the methods of the REST
// interface, and one class for each service, with and without asyncio.
import { createEcmaScriptPlugin, runNodeJs, type Schema } from "@bufbuild/protoplugin";
import { isRest } from "./openapi/operations.ts";
import { messagesOf } from "./python/methods.ts";
import { methodTable } from "./python/methods.ts";
import { servicesText } from "./python/services.ts";
import { twinOf } from "./python/twin.ts";
import { typesText } from "./python/types.ts";

runNodeJs(createEcmaScriptPlugin({ name: "protoc-gen-python", version: "v1", generateTs: generate }));

function generate(schema: Schema): void {
  const services = schema.files
    .flatMap((file) => file.services)
    .filter(({ methods }) => methods.some(isRest))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const methods = services.flatMap((service) => service.methods.filter(isRest));
  const files: readonly (readonly [name: string, text: string])[] = [
    ["__init__.py", `"""Generated from the definitions in proto/; not to be edited."""\n`],
    ["types.py", typesText(messagesOf(methods))],
    ["methods.py", methodTable(methods)],
    ["aio.py", servicesText(services)],
    ["sync.py", twinOf(servicesText(services))],
  ];
  for (const [name, text] of files) schema.generateFile(name).print(text.trimEnd());
}
