import { type DescEnum, type DescField, type DescMessage, getOption, hasOption, ScalarType } from "@bufbuild/protobuf";
import { getComments } from "@bufbuild/protoplugin";
import { field as rulesOf, type FieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { absence, nullable, shorthand } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";

export type Json = Record<string, unknown>;

export interface Schemas {
  ofMessage(message: DescMessage): Json;
  ofField(field: DescField): Json;
  all(): Json;
}

/** `answered`: messages that answers hold; those of requests alone take no other fields than theirs. */
export function createSchemas(answered: ReadonlySet<string>): Schemas {
  const schemas = new Map<string, Json>();
  const self: Schemas = {
    ofMessage(message) {
      if (!schemas.has(message.name)) {
        // Taken before it is filled in, so that a message may contain itself.
        schemas.set(message.name, {});
        const isAnswer = !message.fields.some((field) => rules(field) !== undefined);
        const isClosed = !answered.has(message.typeName);
        const fields = objectSchema(message.fields, self, isAnswer ? isAlwaysSent : isNeeded);
        const object = isClosed ? { ...fields, additionalProperties: false } : fields;
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
        const minItems = getOption(field, absence) === "" ? {} : { minItems: 1 };
        return { type: "array", items, ...minItems, ...(maxItems === 0n ? {} : { maxItems: Number(maxItems) }) };
      }
      if (field.message !== undefined) return self.ofMessage(field.message);
      const schema = { ...plainSchema(field), ...bounds(rules(field)) };
      return hasOption(field, nullable) ? { ...schema, type: [schema["type"], "null"] } : schema;
    },
    all: () => Object.fromEntries([...schemas].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
  return self;
}

export function objectSchema(fields: DescField[], schemas: Schemas, isRequired: (field: DescField) => boolean): Json {
  const required = fields.filter(isRequired).map(({ jsonName }) => jsonName);
  const properties = fields.map((field) => [
    field.jsonName,
    { ...schemas.ofField(field), description: comment(field) },
  ]);
  return { type: "object", ...(required.length === 0 ? {} : { required }), properties: Object.fromEntries(properties) };
}

/** The messages that a message holds, at any depth, and itself, by their full names. */
export function heldBy(message: DescMessage, held = new Set<string>()): ReadonlySet<string> {
  if (held.has(message.typeName)) return held;
  held.add(message.typeName);
  for (const field of message.fields) if (field.message !== undefined) heldBy(field.message, held);
  return held;
}

/** In a request: what the rules do not let be left out. */
export const isNeeded = (field: DescField): boolean => rules(field)?.required === true || minLength(field) > 0;

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
export function comment(desc: Parameters<typeof getComments>[0]): string {
  return (getComments(desc).leading ?? "").replace(/\s+/g, " ").trim();
}
