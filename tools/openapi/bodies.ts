import { type DescField, type DescMethod, getOption, type JsonValue } from "@bufbuild/protobuf";
import { rest } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { exampleOfMessage } from "./examples.ts";
import { isNeeded } from "./rules.ts";
import { comment, type Json, objectSchema, type Schemas } from "./schemas.ts";

/** Every body may be JSON or a form, but for the bytes of a file, which come in a form only. */
export function requestBody(method: DescMethod, fields: DescField[], schemas: Schemas): Json {
  const { file, insteadOfFile, shown } = getOption(method, rest);
  const text = fields.filter(({ name }) => name !== file);
  const isRequired = (field: DescField): boolean => isNeeded(field) || field.name === insteadOfFile;
  const example = exampleOfMessage(
    method.input,
    text.filter((field) => isRequired(field) || shown.includes(field.name)),
  );
  const json = { "application/json": { schema: closed(objectSchema(text, schemas, isRequired)), example } };
  if (file !== "") {
    const form = { "multipart/form-data": { schema: formSchema(fields, schemas) } };
    return { required: true, content: insteadOfFile === "" ? form : { ...form, ...json } };
  }
  const form = { "multipart/form-data": { schema: formSchema(fields, schemas), example: asForm(example) } };
  return { required: fields.some(isNeeded), content: { ...json, ...form } };
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

/** A form field that holds an object or a list of them has it as JSON. */
function asText(field: DescField, schemas: Schemas): Json {
  const { examples: _, ...contentSchema } = schemas.ofField(field);
  const example = exampleOfMessage(field.parent, [field]);
  return {
    type: "string",
    contentMediaType: "application/json",
    contentSchema,
    description: `${comment(field)} In a form it is JSON.`,
    examples: Object.values(asForm(example)),
  };
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
