import { type DescField, type DescMethod, getOption, type JsonValue } from "@bufbuild/protobuf";
import { access, rest } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { exampleOf, exampleOfMessage } from "./examples.ts";
import { isNeeded, type Json } from "./rules.ts";
import { comment, jsonText, objectSchema, type Schemas } from "./schemas.ts";

/** Describes a parameter. A required one has an example that tools fill in; an optional one has an example to read. */
export function parameter(field: DescField, place: "path" | "query", schemas: Schemas): Json {
  const isRequired = place === "path" || isNeeded(field);
  return {
    name: place === "path" ? field.name : field.jsonName,
    in: place,
    required: isRequired,
    description: comment(field),
    ...(field.fieldKind === "list" ? { style: "form", explode: false } : {}),
    schema: field.message === undefined ? schemas.ofField(field) : jsonText(field, schemas),
    ...(isRequired ? { example: exampleOf(field) } : {}),
  };
}

export function headerParameters(method: DescMethod): Json[] {
  const { resume, raw, creates } = getOption(method, rest);
  const isPublic = getOption(method, access).public;
  return [
    ...(resume === ""
      ? []
      : [header("Last-Event-ID", "Id of the last event seen; the stream continues after it.", "7")]),
    ...(creates
      ? [
          header(
            "Idempotency-Key",
            "1 to 255 visible ASCII characters, chosen by the caller. A repeated request with the same body within 24 hours gets the first response.",
            "import-2026-11-21-0001",
          ),
        ]
      : []),
    ...(isPublic
      ? []
      : [
          header(
            "x-workspace",
            "Id or name of the workspace, for personal tokens; default: the oldest one. An API key has one workspace.",
            "default",
          ),
        ]),
    ...(raw ? shareHeaders : []),
  ];
}

const header = (name: string, description: string, example: string): Json => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string", examples: [example] },
});

const shareHeaders: readonly Json[] = [
  header("Range", "One range of bytes; answered with 206.", "bytes=0-1023"),
  header("If-Range", "The range is sent only if the bytes still have this ETag.", '"9f86d081884c7d65-44-jpg"'),
  header("If-None-Match", "ETags that the caller has; answered with 304 if one matches.", '"9f86d081884c7d65-44-jpg"'),
  header("If-Modified-Since", "Answered with 304 if nothing has changed since.", "Sat, 21 Nov 2026 10:37:45 GMT"),
];

/**
 * Describes a request body. Every body may be JSON or a form. With a file, only the form is described: client generators choose one
 * of several types, and most choose JSON.
 */
export function requestBody(method: DescMethod, fields: DescField[], schemas: Schemas): Json {
  const { file, shown } = getOption(method, rest);
  const schema = formSchema(fields, schemas);
  if (file !== "") return { required: true, content: { "multipart/form-data": { schema } } };
  const example = exampleOfMessage(
    method.input,
    fields.filter((field) => isNeeded(field) || shown.includes(field.name)),
  );
  return {
    required: fields.some(isNeeded),
    content: {
      "application/json": { schema: closed(objectSchema(fields, schemas, isNeeded)), example },
      "multipart/form-data": { schema, example: asForm(example) },
    },
  };
}

function formSchema(fields: DescField[], schemas: Schemas): Json {
  const schema = objectSchema(fields, schemas, isNeeded);
  const written = fields.filter(({ message }) => message !== undefined);
  return closed({
    ...schema,
    properties: {
      ...Object(schema["properties"]),
      ...Object.fromEntries(written.map((field) => [field.jsonName, asText(field, schemas)])),
    },
  });
}

/** Describes a form field. A field for an object, or for a list of objects, contains JSON. */
function asText(field: DescField, schemas: Schemas): Json {
  return { ...jsonText(field, schemas), description: `${comment(field)} In a form it is JSON.` };
}

const asForm = (example: JsonValue): Json =>
  Object.fromEntries(
    Object.entries(Object(example)).map(([name, value]) => [name, isObject(value) ? JSON.stringify(value) : value]),
  );

/** Lists of words are repeated fields, not JSON. */
const isObject = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !(Array.isArray(value) && value.every((one) => typeof one !== "object"));

const closed = (schema: Json): Json => ({ ...schema, additionalProperties: false });
