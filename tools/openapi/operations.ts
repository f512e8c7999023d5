import { type DescField, type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { access, rest } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { http } from "../../clients/typescript/gen/google/api/annotations_pb.ts";
import { errorsOf } from "./errors.ts";
import { comment, isNeeded, type Json, objectSchema, type Schemas } from "./schemas.ts";

export const isRest = (method: DescMethod): boolean => hasOption(method, http);

export function bindingOf(method: DescMethod): { verb: string; path: string } {
  const { pattern } = getOption(method, http);
  if (pattern.case === undefined || pattern.case === "custom")
    throw new Error(`${method.name} has an unusual HTTP verb`);
  return { verb: pattern.case, path: pattern.value.replace(/\{(\w+)=[^}]*\}/g, "{$1}") };
}

export const tagOf = (serviceName: string): string => serviceName.replace(/Service$/, "");

export function operation(method: DescMethod, path: string, schemas: Schemas): Json {
  const inPath = new Set([...path.matchAll(/\{(\w+)/g)].map(([, name]) => name));
  const pathFields = method.input.fields.filter(({ name }) => inPath.has(name));
  const others = method.input.fields.filter(({ name }) => !inPath.has(name));
  const { body } = getOption(method, http);
  const { resume, raw, creates } = getOption(method, rest);
  const isPublic = getOption(method, access).public;
  const [summary = "", ...more] = comment(method).split(/(?<=\.) /);
  return {
    operationId: method.localName,
    tags: [tagOf(method.parent.name)],
    summary: summary.replace(/\.$/, ""),
    description: [...more, ...(isPublic ? [] : [neededAccess(method)])].join(" "),
    parameters: [
      ...pathFields.map((field) => parameter(field, "path", schemas)),
      ...(body === "" ? others.map((field) => parameter(field, "query", schemas)) : []),
      ...(resume === ""
        ? []
        : [headerParameter("Last-Event-ID", "Id of the last event seen; the stream goes on after it.")]),
      ...(creates
        ? [
            headerParameter(
              "Idempotency-Key",
              "1 to 255 visible ASCII characters of the caller's own. Sent again with the same body within 24 hours it gets the first answer.",
            ),
          ]
        : []),
      ...(isPublic
        ? []
        : [
            headerParameter(
              "x-workspace",
              "Id or name of the workspace, for personal tokens; default: the oldest one.",
            ),
          ]),
      ...(raw ? [headerParameter("Range", "One range of bytes, such as bytes=0-1023.")] : []),
    ],
    ...(body === "" || others.length === 0 ? {} : { requestBody: requestBody(method, others, schemas) }),
    responses: { ...answers(method, schemas), ...errorsOf(method, pathFields.length > 0) },
    ...(isPublic ? { security: [] } : {}),
  };
}

function neededAccess(method: DescMethod): string {
  const { any, scope } = getOption(method, access);
  return any
    ? "Any valid API key or personal token will do."
    : `Needs an API key, or the personal token of a member, with the scope "${scope}".`;
}

function parameter(field: DescField, place: "path" | "query", schemas: Schemas): Json {
  const isRequired = place === "path" || isNeeded(field);
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
  const closed = (some: DescField[]): Json => ({
    ...objectSchema(some, schemas, isNeeded),
    additionalProperties: false,
  });
  const json = closed(fields.filter(({ name }) => name !== file));
  if (file === "") return { required: fields.some(isNeeded), content: { "application/json": { schema: json } } };
  return {
    required: true,
    content: {
      "multipart/form-data": { schema: closed(fields) },
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
