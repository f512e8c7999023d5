#!/usr/bin/env node
// A plugin of buf: writes the REST face of the services as OpenAPI 3.1. It is a plugin because only the compiler's
// descriptors carry the comments.
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  hasOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { createEcmaScriptPlugin, getComments, runNodeJs, type Schema } from "@bufbuild/protoplugin";
import { field as rulesOf, type FieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { access, nullable, rest, shorthand } from "../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { http } from "../clients/typescript/gen/google/api/annotations_pb.ts";

type Json = Record<string, unknown>;

runNodeJs(createEcmaScriptPlugin({ name: "protoc-gen-openapi", version: "v1", generateTs: generate }));

function generate(schema: Schema): void {
  const paths: Record<string, Json> = {};
  const schemas = createSchemas();
  const services = schema.files.flatMap((file) => file.services).filter(({ methods }) => methods.some(isRest));
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
      description: "Large documents in, pages out: by number or by meaning, as self-expiring links.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    tags: services.map((service) => ({ name: tagOf(service.name), description: comment(service) })),
    paths,
    components: {
      schemas: { ...schemas.all(), Error: errorSchema },
      responses: errorResponses,
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "API key of a workspace" },
        bearer: { type: "http", scheme: "bearer", description: "The same key as Authorization: Bearer" },
      },
    },
    security: [{ apiKey: [] }, { bearer: [] }],
  };
  schema.generateFile("openapi.json").print(JSON.stringify(document, null, 2));
}

const isRest = (method: DescMethod): boolean => hasOption(method, http);

function bindingOf(method: DescMethod): { verb: string; path: string } {
  const { pattern } = getOption(method, http);
  if (pattern.case === undefined || pattern.case === "custom")
    throw new Error(`${method.name} has an unusual HTTP verb`);
  return { verb: pattern.case, path: pattern.value.replace(/\{(\w+)=[^}]*\}/g, "{$1}") };
}

const tagOf = (serviceName: string): string => serviceName.replace(/Service$/, "");

function operation(method: DescMethod, path: string, schemas: Schemas): Json {
  const inPath = new Set([...path.matchAll(/\{(\w+)/g)].map(([, name]) => name));
  const pathFields = method.input.fields.filter(({ name }) => inPath.has(name));
  const others = method.input.fields.filter(({ name }) => !inPath.has(name));
  const { body } = getOption(method, http);
  const { resume, raw } = getOption(method, rest);
  const isPublic = getOption(method, access).public;
  const [summary = "", ...more] = comment(method).split(/(?<=\.) /);
  return {
    operationId: method.localName,
    tags: [tagOf(method.parent.name)],
    summary: summary.replace(/\.$/, ""),
    description: [
      ...more,
      ...(isPublic ? [] : [`Needs a key with the scope "${getOption(method, access).scope}".`]),
    ].join(" "),
    parameters: [
      ...pathFields.map((field) => parameter(field, "path", schemas)),
      ...(body === "" ? others.map((field) => parameter(field, "query", schemas)) : []),
      ...(resume === ""
        ? []
        : [headerParameter("Last-Event-ID", "Id of the last event seen; the stream goes on after it.")]),
      ...(raw ? [headerParameter("Range", "One range of bytes, such as bytes=0-1023.")] : []),
    ],
    ...(body === "" || others.length === 0 ? {} : { requestBody: requestBody(method, others, schemas) }),
    responses: { ...answers(method, schemas), ...errorsOf(method, pathFields.length > 0) },
    ...(isPublic ? { security: [] } : {}),
  };
}

function parameter(field: DescField, place: "path" | "query", schemas: Schemas): Json {
  const isRequired = place === "path" || rules(field)?.required === true || minLength(field) > 0;
  const isList = field.fieldKind === "list";
  return {
    name: place === "path" ? field.name : field.jsonName,
    in: place,
    required: isRequired,
    description: comment(field),
    ...(isList ? { style: "form", explode: false } : {}),
    schema: schemas.ofField(field),
  };
}

const headerParameter = (name: string, description: string): Json => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string" },
});

function requestBody(method: DescMethod, fields: DescField[], schemas: Schemas): Json {
  const { file } = getOption(method, rest);
  const json = objectSchema(
    fields.filter(({ name }) => name !== file),
    schemas,
    isNeeded,
  );
  if (file === "") return { required: fields.some(isNeeded), content: { "application/json": { schema: json } } };
  return {
    required: true,
    content: {
      "multipart/form-data": { schema: objectSchema(fields, schemas, isNeeded) },
      "application/json": { schema: json },
    },
  };
}

function answers(method: DescMethod, schemas: Schemas): Json {
  const { raw, eventId } = getOption(method, rest);
  if (raw) return rawAnswers;
  const type = method.methodKind === "server_streaming" ? "text/event-stream" : "application/json";
  const description =
    eventId === ""
      ? comment(method.output)
      : "Server-sent events: each has an id to resume after and this as its data.";
  return { 200: { description, content: { [type]: { schema: answerSchema(method, schemas) } } } };
}

function answerSchema(method: DescMethod, schemas: Schemas): Json {
  const { envelope, withoutTotal } = getOption(method, rest);
  const { responseBody } = getOption(method, http);
  const field = method.output.fields.find(({ name }) => name === responseBody);
  const data = schemas.ofMessage(field?.message ?? method.output);
  if (!envelope) return data;
  const success = { type: "boolean", const: true };
  if (field === undefined) {
    return { allOf: [{ type: "object", required: ["success"], properties: { success } }, data] };
  }
  const total = withoutTotal ? {} : { total: { type: "integer", const: 1 } };
  const properties = { success, ...total, data };
  return { type: "object", required: Object.keys(properties), properties };
}

const bytes = { "*/*": { schema: { type: "string", format: "binary" } } };

const rawAnswers: Json = {
  200: { description: "The bytes.", content: bytes },
  206: { description: "The range of bytes asked for.", content: bytes },
  304: { description: "Not changed since the client got it." },
  416: { $ref: "#/components/responses/416" },
};

function errorsOf(method: DescMethod, hasPath: boolean): Json {
  const isPublic = getOption(method, access).public;
  const hasBody = getOption(method, http).body !== "";
  const { raw } = getOption(method, rest);
  const statuses = [
    ...(raw ? [] : [400]),
    ...(isPublic ? [403] : [401, 403]),
    ...(hasPath && !raw ? [404] : []),
    ...(hasPath && hasBody ? [409] : []),
    ...(hasBody ? [413, 415] : []),
    ...(raw ? [422] : []),
    500,
    503,
  ];
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]));
}

const errorSchema: Json = {
  type: "object",
  description: "What went wrong.",
  required: ["success", "error", "code"],
  properties: {
    success: { type: "boolean", const: false },
    error: {
      type: "string",
      description: "A sentence that says what is wrong and, where there is one, the next step.",
    },
    code: { type: "string", description: "The Connect error code in upper case, such as NOT_FOUND." },
  },
};

const errorResponses: Json = Object.fromEntries(
  Object.entries({
    400: "The request is not valid.",
    401: "The API key is missing or unknown.",
    403: "The API key lacks the scope, or the link is not valid or has expired.",
    404: "There is nothing of that id in the workspace.",
    409: "The request does not fit the present state.",
    413: "The upload or the body is too large.",
    415: "The content is of a kind that is not supported.",
    416: "The content does not have that range.",
    422: "The stored document cannot give what is asked for.",
    500: "A bug; the sentence names the request id to look for in the log.",
    503: "The server is starting, stopping or overloaded; try again after the time in Retry-After.",
  }).map(([status, description]) => [
    status,
    { description, content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } },
  ]),
);

interface Schemas {
  ofMessage(message: DescMessage): Json;
  ofField(field: DescField): Json;
  all(): Json;
}

function createSchemas(): Schemas {
  const schemas = new Map<string, Json>();
  const self: Schemas = {
    ofMessage(message) {
      if (!schemas.has(message.name)) {
        // Taken before it is filled in, so that a message may contain itself.
        schemas.set(message.name, {});
        const isAnswer = !message.fields.some((field) => rules(field) !== undefined);
        const object = objectSchema(message.fields, self, isAnswer ? isAlwaysSent : isNeeded);
        const short = getOption(message, shorthand);
        const description = comment(message);
        schemas.set(
          message.name,
          short === "" ? { description, ...object } : { description, oneOf: [{ type: "string" }, object] },
        );
      }
      return { $ref: `#/components/schemas/${message.name}` };
    },
    ofField(field) {
      if (field.fieldKind === "list") {
        const { maxItems } = listRules(field);
        const items = field.message ? self.ofMessage(field.message) : plainSchema(field);
        return { type: "array", items, ...(maxItems === 0n ? {} : { maxItems: Number(maxItems) }) };
      }
      if (field.message !== undefined) return self.ofMessage(field.message);
      const schema = { ...plainSchema(field), ...bounds(rules(field)) };
      return hasOption(field, nullable) ? { ...schema, type: [schema["type"], "null"] } : schema;
    },
    all: () => Object.fromEntries([...schemas].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
  return self;
}

function objectSchema(fields: DescField[], schemas: Schemas, isRequired: (field: DescField) => boolean): Json {
  const required = fields.filter(isRequired).map(({ jsonName }) => jsonName);
  const properties = fields.map((field) => [
    field.jsonName,
    { ...schemas.ofField(field), description: comment(field) },
  ]);
  return { type: "object", ...(required.length === 0 ? {} : { required }), properties: Object.fromEntries(properties) };
}

/** In a request: what the rules do not let be left out. */
const isNeeded = (field: DescField): boolean => rules(field)?.required === true || minLength(field) > 0;

/** In an answer: what is written even if unset. */
const isAlwaysSent = (field: DescField): boolean =>
  hasOption(field, nullable) ||
  field.fieldKind === "list" ||
  (!field.proto.proto3Optional && field.fieldKind !== "message");

function plainSchema(field: DescField): Json {
  if (field.enum !== undefined) return enumSchema(field.enum);
  const type = "scalar" in field ? field.scalar : undefined;
  switch (type) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BYTES:
      return { type: "string", format: "binary", contentMediaType: "application/octet-stream" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: "number" };
    case ScalarType.UINT32:
      return { type: "integer", minimum: 0 };
    default:
      return { type: "integer" };
  }
}

function enumSchema(desc: DescEnum): Json {
  const values = desc.values.filter(({ number }) => number !== 0);
  const lines = values.map((value) => `${value.jsonName ?? value.name}: ${comment(value)}`);
  return { type: "string", enum: values.map((value) => value.jsonName ?? value.name), "x-enum-descriptions": lines };
}

function rules(field: DescField): FieldRules | undefined {
  return hasOption(field, rulesOf) ? getOption(field, rulesOf) : undefined;
}

function minLength(field: DescField): number {
  const type = rules(field)?.type;
  return type?.case === "string" ? Number(type.value.minLen) : 0;
}

function listRules(field: DescField): { maxItems: bigint } {
  const type = rules(field)?.type;
  return { maxItems: type?.case === "repeated" ? type.value.maxItems : 0n };
}

function bounds(fieldRules: FieldRules | undefined): Json {
  const type = fieldRules?.type;
  if (type?.case === "string") {
    const { minLen, maxLen, pattern } = type.value;
    return {
      ...(minLen === 0n ? {} : { minLength: Number(minLen) }),
      ...(maxLen === 0n ? {} : { maxLength: Number(maxLen) }),
      ...(pattern === "" ? {} : { pattern }),
    };
  }
  if (type?.case !== "uint32") return {};
  const { greaterThan, lessThan } = type.value;
  return {
    ...(greaterThan.case === "gte" ? { minimum: greaterThan.value } : {}),
    ...(lessThan.case === "lte" ? { maximum: lessThan.value } : {}),
  };
}

/** The comment in the proto as one paragraph. */
function comment(desc: Parameters<typeof getComments>[0]): string {
  return (getComments(desc).leading ?? "").replace(/\s+/g, " ").trim();
}
