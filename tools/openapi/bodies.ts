import { type DescField, type DescMethod, getOption, type JsonValue } from "@bufbuild/protobuf";
import { rest } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { exampleOfMessage } from "./examples.ts";
import { isNeeded } from "./rules.ts";
import { comment, jsonText, objectSchema, type Schemas } from "./schemas.ts";
import type { Json } from "./json.ts";

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

/** Describes a form field. One that holds an object, or a list of them, has it as JSON. */
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
