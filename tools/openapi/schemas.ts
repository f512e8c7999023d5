import { type DescEnum, type DescField, type DescMessage, getOption, hasOption, ScalarType } from "@bufbuild/protobuf";
import { getComments } from "@bufbuild/protoplugin";
import { absence, nullable, omit_empty, shorthand } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { exampleOf, hasOwnExample } from "./examples.ts";
import { boundsOf, isNeeded, type Json, listBoundsOf } from "./rules.ts";

export interface Schemas {
  ofMessage(message: DescMessage): Json;
  /** Returns the schema of a field with an example, but without the description. */
  ofField(field: DescField): Json;
  all(): Json;
}

/** A message whose JSON can be any object. */
const anyObject = "google.protobuf.Struct";

/** The messages in answers and in requests. */
interface Uses {
  readonly answered: ReadonlySet<string>;
  readonly asked: ReadonlySet<string>;
}

export function createSchemas(uses: Uses): Schemas {
  const schemas = new Map<string, Json>();
  const refer = (name: string, make: () => Json): Json => {
    if (!schemas.has(name)) {
      // Reserved before it is filled in, because a message may contain itself.
      schemas.set(name, {});
      schemas.set(name, make());
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const single = (field: DescField): Json => {
    const { message, enum: words } = field;
    if (message?.typeName === anyObject) return { type: "object", additionalProperties: true };
    if (message !== undefined) return self.ofMessage(message);
    return words === undefined ? plainSchema(field) : refer(words.name, () => enumSchema(words));
  };
  const self: Schemas = {
    ofMessage: (message) => refer(message.name, () => messageSchema(message, uses, self)),
    ofField(field) {
      const examples = hasOwnExample(field) ? examplesOf(field) : {};
      if (field.fieldKind === "list") {
        const minItems = getOption(field, absence) === "" ? {} : { minItems: 1 };
        return { type: "array", items: single(field), ...minItems, ...listBoundsOf(field), ...examples };
      }
      const schema = { ...single(field), ...boundsOf(field) };
      return { ...(hasOption(field, nullable) ? orNull(schema) : schema), ...examples };
    },
    all: () => Object.fromEntries([...schemas].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
  return self;
}

/**
 * Describes a message. A message that is never in answers allows no other fields; one that is never in requests requires all
 * fields that are always sent.
 */
function messageSchema(message: DescMessage, { answered, asked }: Uses, schemas: Schemas): Json {
  const fields = objectSchema(message.fields, schemas, asked.has(message.typeName) ? isNeeded : isAlwaysSent);
  const object = answered.has(message.typeName) ? fields : { ...fields, additionalProperties: false };
  const description = comment(message);
  const isShort = getOption(message, shorthand) !== "";
  return isShort ? { description, oneOf: [{ type: "string" }, object] } : { description, ...object };
}

export function objectSchema(fields: DescField[], schemas: Schemas, isRequired: (field: DescField) => boolean): Json {
  const required = fields.filter(isRequired).map(({ jsonName }) => jsonName);
  const properties = fields.map((field) => [
    field.jsonName,
    { ...schemas.ofField(field), description: comment(field) },
  ]);
  return { type: "object", ...(required.length === 0 ? {} : { required }), properties: Object.fromEntries(properties) };
}

/** Describes a string that contains an object, or a list of objects, as JSON. */
export function jsonText(field: DescField, schemas: Schemas): Json {
  const { examples: _, ...contentSchema } = schemas.ofField(field);
  const example = exampleOf(field);
  const examples =
    example === undefined ? {} : { examples: [typeof example === "string" ? example : JSON.stringify(example)] };
  return { type: "string", contentMediaType: "application/json", contentSchema, ...examples };
}

/** Returns the full names of a message and of all messages in it, at any depth. */
export function heldBy(message: DescMessage, held = new Set<string>()): ReadonlySet<string> {
  if (held.has(message.typeName)) return held;
  held.add(message.typeName);
  for (const field of message.fields) if (field.message !== undefined) heldBy(field.message, held);
  return held;
}

/** Whether an answer contains the field even if it is unset. */
const isAlwaysSent = (field: DescField): boolean =>
  hasOption(field, nullable) || !(field.proto.proto3Optional || getOption(field, omit_empty));

const orNull = (schema: Json): Json =>
  "$ref" in schema ? { anyOf: [schema, { type: "null" }] } : { ...schema, type: [schema["type"], "null"] };

function examplesOf(field: DescField): Json {
  const value = exampleOf(field);
  return value === undefined ? {} : { examples: [value] };
}

function plainSchema(field: DescField): Json {
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
  const words = values.map((value) => value.jsonName ?? value.name);
  const lines = values.map((value, index) => `- \`${words[index]}\`: ${comment(value)}`);
  return { type: "string", description: [comment(desc), "", ...lines].join("\n"), enum: words };
}

/** Returns the comment in the proto as one paragraph. */
export function comment(desc: Parameters<typeof getComments>[0]): string {
  return (getComments(desc).leading ?? "").replace(/\s+/g, " ").trim();
}
